# evalfleet_add_test(NAME SOURCES file... LABELS label... [LIBRARIES lib...] [TIMEOUT seconds])
#
# A GoogleTest program in <build>/bin/tests whose cases are registered with CTest one by one, so
# that they run in parallel and are named in the report. LABELS are out of unit, integration,
# conformance, calibration, chaos, browser; `ctest -L unit` runs one kind.
find_package(GTest REQUIRED)
include(GoogleTest)

# What is tested is optimised as always; the tests themselves need not be, and build faster.
# Without an optimising compiler there is no _FORTIFY_SOURCE (SHELL: or CMake would drop the repeated option).
set(EVALFLEET_TEST_OPTIONS $<$<CONFIG:Release>:-O0> "$<$<CONFIG:Release>:SHELL:-U _FORTIFY_SOURCE>")
evalfleet_add_precompiled(test
    LIBRARIES evalfleet::asio GTest::gmock
    OPTIONS ${EVALFLEET_TEST_OPTIONS})

set(EVALFLEET_TEST_LABELS unit integration conformance calibration chaos browser)

function(evalfleet_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LABELS;LIBRARIES")
    foreach(label IN LISTS arg_LABELS)
        if(NOT label IN_LIST EVALFLEET_TEST_LABELS)
            message(FATAL_ERROR "${name}: label '${label}' is not one of ${EVALFLEET_TEST_LABELS}")
        endif()
    endforeach()
    if(NOT arg_LABELS)
        message(FATAL_ERROR "${name}: needs at least one label of ${EVALFLEET_TEST_LABELS}")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    add_executable(${name} ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/tests)
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_compile_definitions(${name} PRIVATE
        EVALFLEET_TEST_DATA_DIR="${CMAKE_SOURCE_DIR}/tests"
        EVALFLEET_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
    target_link_libraries(${name} PRIVATE evalfleet_warnings ${arg_LIBRARIES} evalfleet::asio
                          GTest::gmock GTest::gtest_main)
    target_compile_options(${name} PRIVATE ${EVALFLEET_TEST_OPTIONS})
    evalfleet_use_precompiled(${name} test)
    gtest_discover_tests(${name}
        TEST_PREFIX "${name}."
        DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# header_check: every header of ours compiles alone. Not part of `all`; `make lint` builds it.
function(evalfleet_add_header_check)
    file(GLOB_RECURSE headers RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS
         ${CMAKE_SOURCE_DIR}/common/*.hpp ${CMAKE_SOURCE_DIR}/coordinator/*.hpp
         ${CMAKE_SOURCE_DIR}/worker/*.hpp ${CMAKE_SOURCE_DIR}/cli/*.hpp)
    set(sources "")
    foreach(header IN LISTS headers)
        string(REPLACE "/" "_" name ${header})
        set(source ${CMAKE_CURRENT_BINARY_DIR}/header_check/${name}.cpp)
        file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n" @ONLY)
        list(APPEND sources ${source})
    endforeach()
    add_library(header_check OBJECT EXCLUDE_FROM_ALL ${sources})
    target_include_directories(header_check PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(header_check PRIVATE evalfleet_warnings evalfleet::asio ${ARGN})
endfunction()
