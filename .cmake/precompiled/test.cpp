// Only here so that test.hpp is compiled.
