# cmake -DSOURCE_DIR=... -DOUTPUT=... -P WriteRevision.cmake: writes the revision header.
set(revision "unknown")
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
    execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse HEAD
                    OUTPUT_VARIABLE sha OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                    RESULT_VARIABLE failed)
    if(NOT failed)
        execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} diff --quiet HEAD --
                        RESULT_VARIABLE dirty ERROR_QUIET OUTPUT_QUIET)
        set(revision "${sha}")
        if(dirty)
            string(APPEND revision "-dirty")
        endif()
    endif()
elseif(EXISTS "${SOURCE_DIR}/.git-revision")
    file(STRINGS "${SOURCE_DIR}/.git-revision" revision LIMIT_COUNT 1)
endif()

set(text "#pragma once\n#define EVALFLEET_GIT_SHA \"${revision}\"\n")
set(old "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
    file(WRITE "${OUTPUT}" "${text}")
endif()
