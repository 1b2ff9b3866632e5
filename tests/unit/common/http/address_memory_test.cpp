#include "common/http/address_memory.hpp"

#include <gtest/gtest.h>

namespace evalfleet::http {
namespace {

using Endpoint = AddressMemory::Endpoint;

Endpoint at(const char* address, std::uint16_t port = 80) {
    return {boost::asio::ip::make_address(address), port};
}

constexpr async::TimePoint kNow{};

TEST(AddressMemory, PutsWhatWasOfNoUseBehindTheOthers) {
    AddressMemory memory;
    const std::vector<Endpoint> all{at("::1"), at("10.0.0.1"), at("10.0.0.2")};
    EXPECT_EQ(memory.sort(all, kNow), all);
    memory.note_bad(at("::1"), kNow);
    const std::vector<Endpoint> sorted{at("10.0.0.1"), at("10.0.0.2"), at("::1")};
    EXPECT_EQ(memory.sort(all, kNow), sorted);
    EXPECT_EQ(memory.sort({at("::1", 81), at("10.0.0.1", 81)}, kNow).front(), at("::1", 81))
        << "another port is another server";
}

TEST(AddressMemory, ForgetsAfterAWhileOrWhenItWorks) {
    AddressMemory memory;
    const std::vector<Endpoint> all{at("::1"), at("10.0.0.1")};
    memory.note_bad(at("::1"), kNow);
    EXPECT_EQ(memory.sort(all, kNow + AddressMemory::kKeepFor), all);
    memory.note_bad(at("::1"), kNow);
    memory.note_good(at("::1"));
    EXPECT_EQ(memory.sort(all, kNow), all);
}

TEST(AddressMemory, IsBounded) {
    AddressMemory memory;
    for (std::uint16_t port = 1; port <= 2 * AddressMemory::kMaxAddresses; ++port)
        memory.note_bad(at("10.0.0.1", port), kNow);
    int bad = 0;
    for (std::uint16_t port = 1; port <= 2 * AddressMemory::kMaxAddresses; ++port) {
        const auto sorted = memory.sort({at("10.0.0.1", port), at("10.9.9.9", port)}, kNow);
        bad += sorted.front() == at("10.9.9.9", port) ? 1 : 0;
    }
    EXPECT_LE(bad, static_cast<int>(AddressMemory::kMaxAddresses));
}

}  // namespace
}  // namespace evalfleet::http
