# What makes a mistake of ours harder to use, in every target: checks of the standard library and of
# the C library's buffer functions, canaries and probes on the stack, marked targets of indirect
# jumps, addresses that differ in each process, tables that are read-only once the program runs.
# tests/hardening checks the programs for it; docs/security.md has what it costs.
#
# Sanitizers bring their own checks and get none of these.
set(EVALFLEET_HARDENED OFF)
if(EVALFLEET_SANITIZE STREQUAL "")
    set(EVALFLEET_HARDENED ON)
    add_compile_options(-D_GLIBCXX_ASSERTIONS -fstack-protector-strong -fstack-clash-protection)
    # Modules that tests preload into programs have -fPIC instead.
    add_compile_options($<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>>:-fPIE>)
    # It needs an optimising compiler; tests are not optimised, and take it back.
    add_compile_options($<$<CONFIG:Release>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
        add_compile_options(-fcf-protection=full)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
        add_compile_options(-mbranch-protection=standard)
    endif()
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie> -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
