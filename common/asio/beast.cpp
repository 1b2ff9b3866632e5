// The one place where Beast's non-template code is compiled.
#include <boost/beast/src.hpp>
