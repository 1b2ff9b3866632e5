#include "worker/permits/number_list.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace evalfleet::worker {
namespace {

struct Pair {
    double first = 0;
    double second = 0;

    template <class Self, class Visit>
    static void each(Self& self, Visit visit) {
        visit(self.first);
        visit(self.second);
    }
    bool operator==(const Pair&) const = default;
};

TEST(NumberList, ReadsBackTheSameNumbers) {
    EXPECT_EQ(to_number_list(Pair{1, 0.5}), "1,0.5");
    for (const double number :
         {0.1, 1.0 / 3, -1e-300, 1e300, 9007199254740993.0, std::numeric_limits<double>::min()}) {
        const Pair pair{number, -number};
        EXPECT_EQ(from_number_list<Pair>(to_number_list(pair)), pair) << number;
    }
}

TEST(NumberList, RefusesAnythingElse) {
    for (const char* text : {"", ",", "1", "1,", ",1", "1,,2", "1,2,", "1,2,3", "1;2", "1,x", "x,1",
                             "1, 2", " 1,2", "1,2 ", "nan,1", "1,inf", "1,-inf", "1,1e999"})
        EXPECT_FALSE(from_number_list<Pair>(text)) << text;
}

}  // namespace
}  // namespace evalfleet::worker
