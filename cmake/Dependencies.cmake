# Everything from outside, from the system only; `make deps` installs it. Each becomes one target
# that a layer links by name. Their headers are SYSTEM: warnings in them are not ours.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

function(rankd_pkg target module)
  pkg_check_modules(${target} REQUIRED IMPORTED_TARGET ${module})
  add_library(dep_${target} INTERFACE)
  target_link_libraries(dep_${target} INTERFACE PkgConfig::${target})
endfunction()

# The same from its archives, with all that stands behind it, where the system has them: for what few
# runs use, but is long in loading. Nothing of it is read before it is called.
function(rankd_pkg_archives target module)
  rankd_pkg(${target} ${module})
  if(RANKD_SANITIZE)
    return()
  endif()
  set(libraries)
  set(names ${${target}_STATIC_LIBRARIES})
  list(REMOVE_DUPLICATES names)
  foreach(name IN LISTS names)
    find_library(archive_of_${name} lib${name}.a HINTS ${${target}_STATIC_LIBRARY_DIRS})
    mark_as_advanced(archive_of_${name})
    if(archive_of_${name})
      list(APPEND libraries ${archive_of_${name}})
    else()  # the compiler's own, for one
      list(APPEND libraries ${name})
    endif()
  endforeach()
  list(JOIN libraries "," libraries)
  set_property(TARGET dep_${target} PROPERTY INTERFACE_LINK_LIBRARIES
               "$<LINK_GROUP:RESCAN,${libraries}>" Threads::Threads)
  target_include_directories(dep_${target} SYSTEM INTERFACE ${${target}_INCLUDE_DIRS})
  target_compile_options(dep_${target} INTERFACE ${${target}_CFLAGS_OTHER})
endfunction()

rankd_pkg(uv libuv)
rankd_pkg(hiredis hiredis)
# On newer systems forty libraries of Abseil stand behind it: more than half of a start.
rankd_pkg_archives(re2 re2)
rankd_pkg(simdjson simdjson)
rankd_pkg(fmt fmt)
rankd_pkg(jemalloc jemalloc)
find_package(CLI11 REQUIRED)
if(RANKD_TESTS)
  find_package(doctest REQUIRED)
endif()
