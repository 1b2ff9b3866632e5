# The warnings of every target of ours, as errors. Floating-point contraction is off because a
# fused multiply-add would change the last bit of figures that must be the same everywhere.
add_library(evalfleet_warnings INTERFACE)
target_compile_options(evalfleet_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Werror
    -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Woverloaded-virtual
    -Wnull-dereference -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough
    -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False alarms of GCC 12 inside coroutine frames and the standard library.
    target_compile_options(evalfleet_warnings INTERFACE
        -Wno-mismatched-new-delete -Wno-maybe-uninitialized -Wno-null-dereference -Wno-restrict
        -Wno-stringop-overflow -Wno-array-bounds -Wno-dangling-pointer)
endif()
