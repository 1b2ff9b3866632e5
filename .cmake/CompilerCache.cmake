# Uses ccache when it is there. The sloppiness lets it cache objects built with a precompiled header,
# the base lets checkouts in different folders share them.
find_program(EVALFLEET_CCACHE ccache)
if(EVALFLEET_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=1
        CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${EVALFLEET_CCACHE})
endif()
