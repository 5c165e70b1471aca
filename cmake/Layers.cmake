# Compiler settings, and the three kinds of target there are: a layer of the engine, a test
# program of a layer, a benchmark.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(RANKD_CCACHE ccache)
if(RANKD_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RANKD_CCACHE})
endif()

# No reassociation and no contraction of floats: answers are the same bytes in every build.
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
                    -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Reports strings inside std::variant and std::optional that are never read (GCC 12 and 13).
  add_compile_options(-Wno-maybe-uninitialized)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # std::stable_sort of libstdc++ uses what libstdc++ itself has deprecated, and clang tells us.
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(RANKD_WERROR)
  add_compile_options(-Werror)
endif()
if(RANKD_SANITIZE)
  add_compile_options(-fsanitize=${RANKD_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${RANKD_SANITIZE})
  # For tests that would take minutes then; compilers name their sanitizers in ways of their own.
  add_compile_definitions(RANKD_SANITIZED)
  if(RANKD_SANITIZE MATCHES undefined)
    # It looks at memory through a pipe, and calls every object broken where descriptors run out.
    add_compile_options(-fno-sanitize=vptr)
  endif()
endif()

# Every preset but dev and clang compiles the sources of a target in batches (CMAKE_UNITY_BUILD), which
# takes a third of the time. Internal names are therefore unique in a target: kSortParams, not kParams.
# A source that cannot keep to that stands ALONE. What a batch hides (a missing include) dev shows.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It takes the sources of a batch for headers.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
function(rankd_alone)
  if(ARGN)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# rankd_layer(NAME SOURCES file… [ALONE file…] [WIDE file…] LINK target… [PRIVATE_LINK target…]): the library
# rankd_NAME. WIDE are the files of loops that a plan's time is spent in (engine/base/wide.h).
function(rankd_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;WIDE;LINK;PRIVATE_LINK" ${ARGN})
  if(NOT ARG_SOURCES)  # a layer of headers only
    add_library(rankd_${name} INTERFACE)
    target_include_directories(rankd_${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(rankd_${name} INTERFACE ${ARG_LINK} ${ARG_PRIVATE_LINK})
    return()
  endif()
  add_library(rankd_${name} STATIC ${ARG_SOURCES} ${ARG_ALONE} ${ARG_WIDE})
  rankd_alone(${ARG_ALONE} ${ARG_WIDE})
  if(ARG_WIDE)
    # -O2 makes vectors only where no rows are left over.
    set_source_files_properties(${ARG_WIDE} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
  endif()
  target_include_directories(rankd_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(rankd_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  if(RANKD_FUZZ)
    # What leads libFuzzer; the fuzzers' own sources and the tests need none.
    target_compile_options(rankd_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# rankd_test(NAME SOURCES file… LINK target… [LABELS label…] [OPTIMISED]): the doctest program NAME_test.
function(rankd_test name)
  cmake_parse_arguments(ARG "OPTIMISED" "" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT TARGET doctest_main)
    add_library(doctest_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/doctest_main.cc)
    target_link_libraries(doctest_main PUBLIC doctest::doctest)
    target_compile_options(doctest_main PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O0>)
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${ARG_LINK} doctest_main)
  # What is tested is optimised as the preset says; to optimise or check the tests themselves as well
  # would take most of a build's time. OPTIMISED is for tests that compute much themselves.
  if(NOT ARG_OPTIMISED)
    target_compile_options(${name}_test PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O0>)
  endif()
  if(RANKD_SANITIZE MATCHES undefined)
    target_compile_options(${name}_test PRIVATE -fno-sanitize=undefined)
  endif()
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 900)
endfunction()

# rankd_bench(NAME SOURCES file… LINK target…): the program bench/NAME, built on request.
function(rankd_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_link_libraries(bench_${name} PRIVATE ${ARG_LINK})
endfunction()

# rankd_starts_fast(PROGRAM): what a linked program can do for its start, in a release.
function(rankd_starts_fast program)
  if(RANKD_SANITIZE)
    return()
  endif()
  # The loader looks for each symbol in one library after the other: behind the heap, which takes
  # over malloc, come those that have nearly all of them. A tenth of the loader's instructions.
  get_target_property(heap PkgConfig::jemalloc INTERFACE_LINK_LIBRARIES)
  list(JOIN heap "," heap)
  target_link_options(${program} PRIVATE
                      LINKER:--push-state,--no-as-needed,${heap},-lstdc++,-lc,--pop-state)
  # Inline functions that everything inlined, and what no part of this program uses of the libraries.
  target_link_options(${program} PRIVATE LINKER:--gc-sections)
  # Linux keeps what a linker wrote bit by bit in single pages, and maps it page by page. What was
  # written in one go (not by cmake -E copy) it keeps in larger pieces: a start is 4 % shorter.
  set(file $<TARGET_FILE:${program}>)
  add_custom_command(TARGET ${program} POST_BUILD VERBATIM
                     COMMAND cp ${file} ${file}.whole
                     COMMAND mv ${file}.whole ${file})
endfunction()
