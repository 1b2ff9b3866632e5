#include "coordinator/store/store_id.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace evalfleet::store {
namespace {

TEST(StoreId, IsMadeOnceAndDiffersFromThatOfAnyOtherStore) {
    const testing::TemporaryFolder first;
    const testing::TemporaryFolder second;
    EXPECT_EQ(blocking_read_store_id(first.path()).error().kind, ErrorKind::not_found);
    const std::string id = blocking_make_store_id(first.path()).value();
    EXPECT_EQ(blocking_make_store_id(first.path()).value(), id);
    EXPECT_EQ(blocking_read_store_id(first.path()).value(), id);
    EXPECT_NE(blocking_make_store_id(second.path()).value(), id);
}

TEST(StoreId, OneThatIsDamagedIsNotReplaced) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder / "id") << "nonsense\n";
    EXPECT_EQ(blocking_make_store_id(folder.path()).error().kind, ErrorKind::invalid);
    EXPECT_EQ(blocking_read_store_id(folder.path()).error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace evalfleet::store
