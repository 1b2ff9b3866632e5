# EVALFLEET_SANITIZE: empty, "address" (with undefined behaviour) or "thread". Set by the presets.
set(EVALFLEET_SANITIZE "" CACHE STRING "Sanitizer: empty, address or thread")
set_property(CACHE EVALFLEET_SANITIZE PROPERTY STRINGS "" address thread)

if(EVALFLEET_SANITIZE STREQUAL "address")
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
elseif(EVALFLEET_SANITIZE STREQUAL "thread")
    # GCC warns that TSan does not see atomic_thread_fence; Asio uses it on paths that also lock.
    add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
    add_link_options(-fsanitize=thread)
elseif(NOT EVALFLEET_SANITIZE STREQUAL "")
    message(FATAL_ERROR "EVALFLEET_SANITIZE is '${EVALFLEET_SANITIZE}'; allowed: empty, address, thread")
endif()
