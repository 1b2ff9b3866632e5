#include "tests/integration/http/client_fixture.hpp"
#include "tests/integration/http/handlers.hpp"
#include "tests/integration/http/server_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace evalfleet::http {
namespace {

using ::testing::HasSubstr;

// So many bytes, of which it can break off before the end.
class Bytes final : public BodySource {
  public:
    explicit Bytes(std::uint64_t size, std::uint64_t breaks_at = ~std::uint64_t{0})
        : size_(size), breaks_at_(breaks_at) {}

    [[nodiscard]] std::uint64_t size() const override { return size_; }
    Result<std::string_view> blocking_next() override {
        if (given_ >= breaks_at_) return Error{ErrorKind::internal, "the disk is gone"};
        const auto count = std::min<std::uint64_t>(piece_.size(), size_ - given_);
        given_ += count;
        return std::string_view(piece_).substr(0, count);
    }
    [[nodiscard]] std::uint64_t given() const { return given_; }

  private:
    std::uint64_t size_;
    std::uint64_t breaks_at_;
    std::uint64_t given_ = 0;
    std::string piece_ = std::string(100'000, 'x');
};

class UploadTest : public HttpClientTest {
  protected:
    Result<Response> upload(const std::string& path, Bytes& body) {
        Request request = get(server_.url(path));
        request.method = "PUT";
        return testing::run(context_, client().upload(std::move(request), body, limits()));
    }

    RunningServer server_{make_router()};
};

TEST_F(UploadTest, SendsABodyPieceByPiece) {
    Bytes body(12'345'678);
    const auto response = upload("/upload", body);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "12345678");
    Bytes empty(0);
    EXPECT_EQ(upload("/upload", empty).value().body, "0");
}

TEST_F(UploadTest, TellsARefusalThatCameBeforeTheWholeBody) {
    Bytes body(std::uint64_t{1} << 36);
    const auto response = upload("/upload", body);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 413);
    EXPECT_LT(body.given(), body.size()) << "it was sent to the end";
}

TEST_F(UploadTest, EndsWithTheErrorOfASourceThatBreaksOff) {
    Bytes body(1'000'000, 300'000);
    const auto response = upload("/upload", body);
    ASSERT_FALSE(response);
    EXPECT_THAT(response.error().message, HasSubstr("the disk is gone"));
    Bytes whole(10);
    EXPECT_EQ(upload("/upload", whole).value().body, "10") << "the next call is not disturbed";
}

}  // namespace
}  // namespace evalfleet::http
