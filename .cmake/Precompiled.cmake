# Precompiled headers: the slow ones are parsed once for all files instead of once a file. They only
# speed the build up (-DEVALFLEET_PRECOMPILE=OFF builds without them, which shows missing includes).
#
# Three of them, since a precompiled header can only be used with the flags it was made with: standard,
# asio (for what awaits), and test (plus GoogleTest).
option(EVALFLEET_PRECOMPILE "Use precompiled headers" ON)

function(evalfleet_add_precompiled kind)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;OPTIONS")
    if(NOT EVALFLEET_PRECOMPILE)
        return()
    endif()
    set(target evalfleet_precompiled_${kind})
    add_library(${target} OBJECT ${CMAKE_SOURCE_DIR}/.cmake/precompiled/${kind}.cpp)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE evalfleet_warnings ${arg_LIBRARIES})
    target_compile_options(${target} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/.cmake/precompiled/${kind}.hpp)
endfunction()

function(evalfleet_use_precompiled target kind)
    if(EVALFLEET_PRECOMPILE)
        # A flag of some distribution's library may make it useless for a target: slow, not wrong.
        target_compile_options(${target} PRIVATE -Wno-error=invalid-pch)
        target_precompile_headers(${target} REUSE_FROM evalfleet_precompiled_${kind})
    endif()
endfunction()
