# evalfleet_add_test(NAME SOURCES file... LABELS label... [LIBRARIES lib...] [TIMEOUT seconds])
#
# A GoogleTest program in <build>/bin/tests whose cases are registered with CTest one by one, so
# that they run in parallel and are named in the report. LABELS are out of unit, integration,
# conformance, chaos, browser; `ctest -L unit` runs one kind.
find_package(GTest REQUIRED)
include(GoogleTest)

set(EVALFLEET_TEST_LABELS unit integration conformance chaos browser)

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
    target_link_libraries(${name} PRIVATE evalfleet_warnings ${arg_LIBRARIES}
                          GTest::gmock GTest::gtest_main)
    gtest_discover_tests(${name}
        TEST_PREFIX "${name}."
        DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
