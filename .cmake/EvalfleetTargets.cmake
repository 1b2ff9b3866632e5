# -pthread: RE2 asks for it, and those that share a precompiled header need the same flags.
evalfleet_add_precompiled(standard OPTIONS -pthread)

# evalfleet_add_library(NAME [AWAITS] SOURCES ... [PUBLIC lib...] [PRIVATE lib...])
#
# One library a folder, with the alias evalfleet::NAME. PUBLIC names what its headers show, PRIVATE
# what only its sources use. The link edge carries the include paths of third-party libraries; that
# every include of ours crosses one is checked by tests/unit/layers.
# AWAITS: its files include Asio.
function(evalfleet_add_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "AWAITS" "" "SOURCES;PUBLIC;PRIVATE")
    set(target evalfleet_${name})
    add_library(${target} STATIC ${arg_SOURCES})
    add_library(evalfleet::${name} ALIAS ${target})
    target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE evalfleet_warnings ${arg_PRIVATE})
    if(arg_AWAITS)
        target_link_libraries(${target} PRIVATE evalfleet::asio)
        evalfleet_use_precompiled(${target} asio)
    else()
        target_compile_options(${target} PRIVATE -pthread)
        evalfleet_use_precompiled(${target} standard)
    endif()
endfunction()

# evalfleet_add_program(NAME SOURCES ... LIBRARIES ...): a program in <build>/bin. The target
# `programs` builds them all, without the tests.
add_custom_target(programs)
function(evalfleet_add_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
    add_executable(${name} ${arg_SOURCES})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE evalfleet_warnings ${arg_LIBRARIES})
    add_dependencies(programs ${name})
endfunction()
