#include "coordinator/api/dataset_routes.hpp"

#include "common/json/writer.hpp"
#include "common/log/line.hpp"
#include "coordinator/api/query_reader.hpp"
#include "coordinator/api/replies.hpp"

#include <memory>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

using access::Role;
using datasets::DatasetEntry;
using datasets::DatasetLibrary;
using datasets::DatasetUpload;

constexpr std::size_t kWriteBytes = 1024 * 1024;
constexpr std::size_t kMaxVersionBytes = 64;
constexpr std::size_t kMaxUploads = 16;

bool is_text(std::string_view text) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
    return true;
}

std::string to_json(const DatasetEntry& entry) {
    std::string text;
    json::Writer writer(text);
    write(writer, entry);
    return text;
}

DatasetLibrary::Label read_label(const Call& call, QueryReader& query) {
    DatasetLibrary::Label label;
    label.id = call.request.parameter("id");
    label.by = call.caller.name;
    if (const std::string version = query.text("version", kMaxVersionBytes); !version.empty()) {
        label.version = version;
        if (!is_text(version)) query.fail("version", "allowed: text without control characters");
    }
    if (const std::string hash = query.text("hash", 64); !hash.empty()) {
        label.expected_hash = hash;
        const bool is_hash =
            hash.size() == 64 && hash.find_first_not_of("0123456789abcdef") == std::string::npos;
        if (!is_hash) query.fail("hash", "allowed: 64 digits of lower-case hex");
    }
    return label;
}

// Writes the body to the upload as it comes, in pieces of a mebibyte.
asio::awaitable<Status> receive(Services& services, http::BodyReader& body, DatasetUpload& upload) {
    std::string piece;
    for (bool is_over = false; !is_over;) {
        auto part = co_await body.read();
        if (!part) co_return part.error();
        is_over = !*part;
        if (!is_over) piece += **part;
        if (piece.size() < kWriteBytes && !is_over) continue;
        auto append = [&upload, &piece] { return upload.blocking_append(piece); };
        const Status written = co_await services.quick_pool.run(append);
        if (!written) co_return written;
        piece.clear();
    }
    co_return Status();
}

// Counts for as long as it lives.
class Place {
  public:
    explicit Place(std::size_t& count) : count_(count) { ++count_; }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { --count_; }

  private:
    std::size_t& count_;
};

asio::awaitable<http::Reply> upload(Services& services, std::shared_ptr<std::size_t> under_way,
                                    Call& call) {
    QueryReader query(call.request.query);
    DatasetLibrary::Label label = read_label(call, query);
    if (!datasets::is_dataset_id(label.id)) {
        co_return field_problem(422, "id",
                                "allowed: 1 to 64 letters, digits and . - _, not "
                                "beginning with a dot");
    }
    if (auto refusal = query.refusal()) co_return std::move(*refusal);
    if (*under_way >= kMaxUploads) {
        http::Reply reply =
            http::Problem{.status = 503, .detail = "too many uploads at once"}.to_reply();
        reply.headers.set("Retry-After", "5");
        co_return reply;
    }
    const Place place(*under_way);
    auto begin = [&services] { return services.datasets.blocking_begin_upload(); };
    auto incoming = co_await services.quick_pool.run(begin);
    if (!incoming) co_return failure(incoming.error());
    const Status received = co_await receive(services, *call.request.body, *incoming);
    if (!received) {
        // Malformed chunks are the request's fault, not that of its content.
        if (received.error().kind == ErrorKind::invalid)
            co_return http::to_problem(received.error()).to_reply();
        co_return failure(received.error());
    }
    label.at = log::format_utc(services.clock.utc_now());
    auto add = [&] { return services.datasets.blocking_add(std::move(*incoming), label); };
    async::HeavyPool::Job job{"dataset " + label.id, incoming->bytes()};
    const auto added = co_await services.request_pool.run(std::move(job), add);
    if (!added) co_return failure(added.error());
    if (!*added) co_return faults_problem("data set", added->error());
    co_return http::Reply::json(to_json((*added)->entry), (*added)->is_new ? 201 : 200);
}

void write_list(std::string& text, const std::vector<DatasetEntry>& entries) {
    text.push_back('[');
    for (const DatasetEntry& entry : entries) {
        if (text.back() != '[') text.push_back(',');
        text += to_json(entry);
    }
    text.push_back(']');
}

asio::awaitable<http::Reply> list(Services& services, Call& call) {
    QueryReader query(call.request.query);
    const std::string cursor = query.text("cursor");
    const std::size_t limit = query.number("limit", 50, 1, 500);
    if (auto refusal = query.refusal()) co_return std::move(*refusal);
    auto find = [&] { return services.datasets.blocking_list(cursor, limit + 1); };
    auto entries = co_await services.quick_pool.run(find);
    if (!entries) co_return failure(entries.error());
    std::string next = "null";
    if (entries->size() > limit) {
        entries->pop_back();
        next = '"' + entries->back().id + '"';
    }
    std::string text = R"({"datasets":)";
    write_list(text, *entries);
    co_return http::Reply::json(text + R"(,"next_cursor":)" + next + "}");
}

asio::awaitable<http::Reply> show(Services& services, Call& call) {
    const std::string& id = call.request.parameter("id");
    auto find = [&] { return services.datasets.blocking_versions(id); };
    const auto entries = co_await services.quick_pool.run(find);
    if (!entries) co_return failure(entries.error());
    if (entries->empty()) co_return not_found("data set", id);
    std::string text = R"({"id":")" + entries->front().id + R"(","versions":)";
    write_list(text, *entries);
    co_return http::Reply::json(text + "}");
}

}  // namespace

void add_dataset_routes(RouteTable& table, Services& services) {
    const auto under_way = std::make_shared<std::size_t>(0);
    table.add({.method = "PUT",
               .pattern = "/api/v1/datasets/{id}",
               .id = "put_dataset",
               .section = "Data sets",
               .summary = "Uploads a data set: JSON Lines, checked line by line",
               .role = Role::submitter,
               .query = {{"version", "text of at most 64 bytes; a version does not change"},
                         {"hash", "sha256 that the body must have, in hex"}},
               .body_type = "application/x-ndjson",
               .answers = {{201, "it is new", "Dataset"},
                           {200, "it was there already", "Dataset"},
                           {409, "the version exists with other content", "Problem"},
                           {413, "it is larger than allowed", "Problem"},
                           {422, "it is no data set", "Problem"},
                           {507, "the disk is full", "Problem"}},
               .max_body_bytes = services.max_dataset_bytes},
              [&services, under_way](Call& call) { return upload(services, under_way, call); });
    table.add({.method = "GET",
               .pattern = "/api/v1/datasets",
               .id = "list_datasets",
               .section = "Data sets",
               .summary = "The newest content of each data set, by id",
               .query = {{"limit", "at most so many",
                          R"({"type":"integer","minimum":1,"maximum":500,"default":50})"},
                         {"cursor", "next_cursor of the page before"}},
               .answers = {{200, "a page of data sets", "DatasetList"}}},
              [&services](Call& call) { return list(services, call); });
    table.add({.method = "GET",
               .pattern = "/api/v1/datasets/{id}",
               .id = "get_dataset",
               .section = "Data sets",
               .summary = "Everything that was uploaded under an id, the newest first",
               .answers = {{200, "the data set", "DatasetVersions"},
                           {404, "there is no such data set", "Problem"}}},
              [&services](Call& call) { return show(services, call); });
}

}  // namespace evalfleet::api
