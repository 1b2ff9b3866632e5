// The same for tests.
#pragma once

#include "asio.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
