# Every third-party library, found once. A folder links what it needs, PRIVATE where its headers
# do not show it.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL 3.0 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(simdjson REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(prometheus-cpp REQUIRED COMPONENTS core)

# Packages that come with pkg-config files, or with CMake files too old to be imported by name.
find_package(PkgConfig REQUIRED)
pkg_check_modules(hiredis REQUIRED IMPORTED_TARGET hiredis)
# Its -D_FILE_OFFSET_BITS=64 says nothing new on 64-bit systems and keeps precompiled headers from use.
set_property(TARGET PkgConfig::hiredis PROPERTY INTERFACE_COMPILE_OPTIONS "")
pkg_check_modules(cares REQUIRED IMPORTED_TARGET libcares)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)

find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)
add_library(cli11 INTERFACE)
target_include_directories(cli11 SYSTEM INTERFACE ${CLI11_INCLUDE_DIR})

# yaml-cpp 0.7 exports a plain target name, 0.8 a namespaced one.
if(NOT TARGET yaml-cpp::yaml-cpp)
    add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

# The allocator of the worker.
find_library(EVALFLEET_MIMALLOC mimalloc REQUIRED)
