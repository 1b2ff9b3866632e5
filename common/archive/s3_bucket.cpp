#include "common/archive/s3_bucket.hpp"

#include "common/http/percent.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace evalfleet::archive {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kTimeout{120};  // a part on a slow line included
constexpr std::uint64_t kMaxAnswerBytes = std::uint64_t{64} << 20;
constexpr const char* kHashHeader = "x-amz-meta-sha256";
constexpr http::RetryConfig kRetries{.max_attempts = 6,
                                     .base = std::chrono::milliseconds(500),
                                     .cap = std::chrono::milliseconds(20'000),
                                     .max_retry_after = std::chrono::milliseconds(60'000)};

http::ClientConfig client_config() {
    http::ClientConfig config;
    config.max_connections_per_host = 4;
    config.max_idle_per_host = 2;
    config.user_agent = "evalfleet-export";
    return config;
}

std::string upload_query(const std::string& upload, std::uint64_t number) {
    return fmt::format("partNumber={}&uploadId={}", number, http::percent_encode(upload));
}

bool is_good(int status) {
    return status >= 200 && status < 300;
}

}  // namespace

S3Bucket::S3Bucket(const asio::any_io_executor& executor, async::Clock& clock,
                   async::BlockingPool& pool, S3Access access, Target target)
    : clock_(clock),
      pool_(pool),
      access_(std::move(access)),
      target_(std::move(target)),
      client_(executor, clock, client_config()),
      retries_(kRetries) {}

asio::awaitable<Result<http::Response>> S3Bucket::try_once(const Call& call) {
    const std::string key =
        target_.prefix.empty() || call.key.empty() ? call.key : target_.prefix + "/" + call.key;
    auto url = object_url(access_, target_, key, call.query);
    if (!url) co_return url.error();
    http::Request request;
    request.method = call.method;
    request.url = *std::move(url);
    request.body = call.body;
    for (const auto& [name, value] : call.headers)
        request.headers.set(name, value);
    // Hashing a part takes a while.
    auto sign = [&] {
        aws::sign(request, access_.credentials, {access_.region, "s3"}, clock_.utc_now());
        return true;
    };
    co_await pool_.run(sign);
    http::CallLimits limits;
    limits.total_deadline = clock_.now() + kTimeout;
    limits.max_body_bytes = kMaxAnswerBytes;
    co_return co_await client_.send(std::move(request), limits);
}

asio::awaitable<Result<http::Response>> S3Bucket::make(Call call) {
    for (int attempt = 1;; ++attempt) {
        auto response = co_await try_once(call);
        Error error{ErrorKind::transient, ""};
        std::optional<std::chrono::milliseconds> wait;
        if (response) {
            const bool is_late_error =
                is_good(response->status) && call.method == "POST" && late_refusal_of(*response);
            if (is_good(response->status) && !is_late_error) co_return response;
            if (response->status == 404 && call.may_be_missing) co_return response;
            error = is_late_error ? *late_refusal_of(*response) : refusal_of(*response);
            const auto asked = response->headers.find("Retry-After");
            wait = retries_.after_status(
                attempt, is_late_error ? 503 : response->status,
                asked ? http::parse_retry_after(*asked, clock_.utc_now()) : std::nullopt,
                http::random_fraction());
        } else {
            error = response.error();
            wait = retries_.after_error(attempt, error, http::random_fraction());
        }
        if (!wait) co_return error.within(target_.name(call.key));
        co_await clock_.wait_for(*wait);
    }
}

asio::awaitable<Result<std::optional<ObjectFacts>>> S3Bucket::head(std::string key) {
    Call call{.method = "HEAD", .key = std::move(key)};
    call.may_be_missing = true;
    const auto response = co_await make(std::move(call));
    if (!response) co_return response.error();
    if (response->status == 404) co_return std::optional<ObjectFacts>();
    ObjectFacts facts;
    const std::string_view length = response->headers.find("Content-Length").value_or("");
    std::from_chars(length.data(), length.data() + length.size(), facts.bytes);
    facts.sha256 = response->headers.find(kHashHeader).value_or("");
    co_return std::optional(std::move(facts));
}

asio::awaitable<Status> S3Bucket::put(std::string key, std::string body, std::string sha256) {
    Call call{.method = "PUT", .key = std::move(key), .body = std::move(body)};
    call.headers["Content-Type"] = "application/octet-stream";
    call.headers["X-Amz-Content-Sha256"] = sha256;
    call.headers[kHashHeader] = std::move(sha256);
    const auto response = co_await make(std::move(call));
    co_return response ? Status() : Status(response.error());
}

asio::awaitable<Result<std::string>> S3Bucket::get_range(std::string key, std::uint64_t begin,
                                                         std::uint64_t bytes) {
    Call call{.method = "GET", .key = std::move(key)};
    if (bytes > 0) call.headers["Range"] = fmt::format("bytes={}-{}", begin, begin + bytes - 1);
    auto response = co_await make(std::move(call));
    if (!response) co_return response.error();
    co_return std::move(response->body);
}

asio::awaitable<Result<std::string>> S3Bucket::begin_upload(std::string key, std::string sha256) {
    Call call{.method = "POST", .key = std::move(key), .query = "uploads="};
    call.headers["Content-Type"] = "application/octet-stream";
    call.headers[kHashHeader] = std::move(sha256);
    const auto response = co_await make(std::move(call));
    if (!response) co_return response.error();
    auto id = find_text(response->body, "UploadId");
    if (!id || id->empty()) co_return Error{ErrorKind::invalid, "the bucket gave no UploadId"};
    co_return std::move(*id);
}

asio::awaitable<Result<std::optional<std::string>>> S3Bucket::find_unfinished(std::string key) {
    const std::string whole = target_.prefix.empty() ? key : target_.prefix + "/" + key;
    Call call{
        .method = "GET", .key = "", .query = "prefix=" + http::percent_encode(whole) + "&uploads="};
    // A service that cannot tell has none that could be gone on with.
    call.may_be_missing = true;
    const auto response = co_await make(std::move(call));
    if (!response) co_return response.error();
    co_return find_upload(response->body, whole);
}

asio::awaitable<Result<std::map<std::uint64_t, Part>>> S3Bucket::parts(std::string key,
                                                                       std::string upload) {
    std::map<std::uint64_t, Part> all;
    std::uint64_t marker = 0;
    for (;;) {
        std::string query = "uploadId=" + http::percent_encode(upload);
        if (marker > 0) query = fmt::format("part-number-marker={}&{}", marker, query);
        Call call{.method = "GET", .key = key, .query = std::move(query)};
        const auto response = co_await make(std::move(call));
        if (!response) co_return response.error();
        PartList list = read_parts(response->body);
        all.merge(list.parts);
        if (!list.next_marker || *list.next_marker <= marker) co_return all;
        marker = *list.next_marker;
    }
}

asio::awaitable<Result<Part>> S3Bucket::put_part(std::string key, std::string upload,
                                                 std::uint64_t number, std::string body) {
    const std::uint64_t bytes = body.size();
    Call call{.method = "PUT", .key = std::move(key), .query = upload_query(upload, number)};
    call.body = std::move(body);
    const auto response = co_await make(std::move(call));
    if (!response) co_return response.error();
    const auto etag = response->headers.find("ETag");
    if (!etag) co_return Error{ErrorKind::invalid, "the bucket gave no ETag for a part"};
    co_return Part{std::string(*etag), bytes};
}

asio::awaitable<Status> S3Bucket::finish_upload(std::string key, std::string upload,
                                                std::map<std::uint64_t, Part> parts) {
    Call call{.method = "POST",
              .key = std::move(key),
              .query = "uploadId=" + http::percent_encode(upload),
              .body = completion_xml(parts)};
    call.headers["Content-Type"] = "application/xml";
    const auto response = co_await make(std::move(call));
    co_return response ? Status() : Status(response.error());
}

asio::awaitable<Status> S3Bucket::drop_upload(std::string key, std::string upload) {
    Call call{.method = "DELETE",
              .key = std::move(key),
              .query = "uploadId=" + http::percent_encode(upload)};
    call.may_be_missing = true;
    const auto response = co_await make(std::move(call));
    co_return response ? Status() : Status(response.error());
}

}  // namespace evalfleet::archive
