#include "common/json/boost.hpp"

#include "common/json/document.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace evalfleet::json {
namespace {

boost::json::value random_tree(std::mt19937_64& random, int depth) {
    switch (random() % (depth > 0 ? 8 : 6)) {
        case 0:
            return nullptr;
        case 1:
            return random() % 2 == 0;
        case 2:
            return static_cast<std::int64_t>(random());
        case 3:
            return random() | (std::uint64_t{1} << 63);
        case 4: {
            const double number = std::bit_cast<double>(random());
            return std::isfinite(number) ? number : 0.5;
        }
        case 5: {
            boost::json::string text;
            for (std::size_t n = random() % 10; n > 0; --n) {
                text.push_back(static_cast<char>(random() % 128));
            }
            return text;
        }
        case 6: {
            boost::json::array array;
            for (std::size_t n = random() % 5; n > 0; --n) {
                array.push_back(random_tree(random, depth - 1));
            }
            return array;
        }
        default: {
            boost::json::object object;
            for (std::size_t n = random() % 5; n > 0; --n) {
                object["k" + std::to_string(random() % 100)] = random_tree(random, depth - 1);
            }
            return object;
        }
    }
}

TEST(BoostJson, RandomTreesRoundTripThroughCanonicalText) {
    std::mt19937_64 random(4);
    for (int i = 0; i < 5000; ++i) {
        const boost::json::value tree = random_tree(random, 4);
        for (const Layout layout : {Layout::compact, Layout::pretty}) {
            const std::string text = serialize(tree, layout);
            const auto document = Document::parse(text);
            ASSERT_TRUE(document) << text << ": " << document.error().message;
            const boost::json::value back = to_boost(document->root());
            ASSERT_EQ(back, tree) << text;
            ASSERT_EQ(serialize(back, layout), text);
        }
    }
}

TEST(BoostJson, KeepsTheOrderOfMembers) {
    const auto document = Document::parse(R"({"z":1,"a":2.5,"m":[{}]})");
    EXPECT_EQ(serialize(to_boost(document->root())), R"({"z":1,"a":2.5,"m":[{}]})");
}

}  // namespace
}  // namespace evalfleet::json
