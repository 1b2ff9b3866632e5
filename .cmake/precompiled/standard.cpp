// Only here so that standard.hpp is compiled.
