// Only here so that asio.hpp is compiled.
