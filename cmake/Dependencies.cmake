# Everything from outside, from the system only; `make deps` installs it. Each becomes one target
# that a layer links by name. Their headers are SYSTEM: warnings in them are not ours.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

function(rankd_pkg target module)
  pkg_check_modules(${target} REQUIRED IMPORTED_TARGET ${module})
  add_library(dep_${target} INTERFACE)
  target_link_libraries(dep_${target} INTERFACE PkgConfig::${target})
endfunction()

rankd_pkg(uv libuv)
rankd_pkg(hiredis hiredis)
rankd_pkg(re2 re2)
rankd_pkg(simdjson simdjson)
rankd_pkg(fmt fmt)
rankd_pkg(jemalloc jemalloc)
find_package(CLI11 REQUIRED)
if(RANKD_TESTS)
  find_package(doctest REQUIRED)
endif()
