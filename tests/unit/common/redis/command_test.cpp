#include "common/redis/command.hpp"

#include <gtest/gtest.h>

#include <string>

namespace evalfleet::redis {
namespace {

std::string wire_of(const Command& command) {
    std::string wire;
    EXPECT_TRUE(command.append_to(wire));
    return wire;
}

TEST(Command, IsWrittenAsAnArrayOfStrings) {
    EXPECT_EQ(wire_of(Command("SET", "key", std::string("value"), 42)),
              "*4\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n$2\r\n42\r\n");
}

TEST(Command, CarriesAnyBytesAndEmptyArguments) {
    using std::string_view_literals::operator""sv;
    EXPECT_EQ(wire_of(Command("ECHO", "\0\r\n$1"sv, "")),
              "*3\r\n$4\r\nECHO\r\n$5\r\n\0\r\n$1\r\n$0\r\n\r\n"sv);
}

TEST(Command, GrowsArgumentByArgument) {
    Command command("DEL");
    command.add("a").add(-5).add("b");
    EXPECT_EQ(command.count_arguments(), 4U);
    EXPECT_EQ(wire_of(command), wire_of(Command("DEL", "a", "-5", "b")));
}

TEST(Command, IsAppendedToWhatIsThere) {
    std::string wire = "before ";
    ASSERT_TRUE(Command("PING").append_to(wire));
    EXPECT_EQ(wire, "before *1\r\n$4\r\nPING\r\n");
}

TEST(Command, RefusesTooManyArguments) {
    Command command("DEL");
    for (std::size_t i = 0; i < Command::kMaxArguments; ++i)
        command.add("k");
    std::string wire;
    const Status status = command.append_to(wire);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::too_large);
    EXPECT_EQ(wire, "");
}

}  // namespace
}  // namespace evalfleet::redis
