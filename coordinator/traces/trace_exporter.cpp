#include "coordinator/traces/trace_exporter.hpp"

#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "coordinator/traces/otlp_json.hpp"
#include "coordinator/traces/trial_spans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace evalfleet::traces {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kBatch = 256;  // of trials; some six spans each
constexpr std::chrono::milliseconds kInterval{500};
constexpr std::chrono::milliseconds kDrainInterval{50};
constexpr std::chrono::seconds kTimeout{10};
constexpr std::chrono::minutes kComplaintInterval{1};
constexpr std::size_t kMaxAnswerBytes = 64 * 1024;
constexpr http::RetryConfig kRetries{.max_attempts = 8,
                                     .base = std::chrono::milliseconds(1000),
                                     .cap = std::chrono::milliseconds(20'000),
                                     .max_retry_after = std::chrono::milliseconds(60'000)};

http::ClientConfig client_config() {
    http::ClientConfig config;
    config.max_connections_per_host = 1;
    config.max_idle_per_host = 1;
    config.user_agent = "evalfleet-traces";
    return config;
}

/// Records that are none have no spans: their run says so elsewhere.
std::string make_body(const std::vector<WaitingRecord>& records, const Resource& resource) {
    json::Parser parser;
    std::vector<Span> spans;
    for (const WaitingRecord& waiting : records) {
        const auto value = parser.parse(waiting.record);
        if (!value) continue;
        const auto record = job::read_trial_record(*value);
        if (!record) continue;
        for (Span& span : spans_of(*record, waiting.arrived))
            spans.push_back(std::move(span));
    }
    return otlp_json(spans, resource);
}

TraceConfig blocking_read(const std::filesystem::path& file) {
    auto config = blocking_read_traces(file);
    if (!config) throw std::runtime_error(config.error().message);
    const auto headers = blocking_resolve(*config);
    if (!headers) throw std::runtime_error(file.string() + ": " + headers.error().message);
    return std::move(*config);
}

}  // namespace

TraceMetrics::TraceMetrics(metrics::Registry& registry)
    : sent(registry.counter("evalfleet_coordinator_traces_sent_total",
                            "Trials whose traces the collector took")),
      dropped(registry.counter("evalfleet_coordinator_traces_dropped_total",
                               "Sampled trials whose traces were dropped")) {}

TraceExporter::TraceExporter(const asio::any_io_executor& executor,
                             const std::filesystem::path& file, async::BlockingPool& pool,
                             async::Clock& clock, TraceMetrics& metrics, log::Logger logger)
    : pool_(pool),
      clock_(clock),
      metrics_(metrics),
      logger_(std::move(logger)),
      config_(blocking_read(file)),
      client_(executor, clock, client_config()),
      retries_(kRetries),
      buffer_(TraceBuffer::Limits()) {}

void TraceExporter::offer(std::string_view run_id, std::uint64_t index, std::string_view record) {
    if (!is_sampled(run_id, index, config_.sample)) return;
    if (!buffer_.put(record, clock_.utc_now())) drop(1, "too many wait for the collector");
}

// One line a minute: a collector that is away must not fill the log.
void TraceExporter::drop(std::size_t count, std::string_view why) {
    metrics_.dropped.increment(static_cast<double>(count));
    dropped_ += count;
    if (clock_.now() < next_complaint_) return;
    next_complaint_ = clock_.now() + kComplaintInterval;
    logger_.warn("traces are dropped", {{"trials", dropped_}, {"reason", why}});
    dropped_ = 0;
}

asio::awaitable<void> TraceExporter::run() {
    for (;;) {
        if (buffer_.size() < kBatch) co_await rest(kInterval);
        if (buffer_.empty()) continue;
        is_sending_ = true;
        co_await tell(buffer_.take(kBatch));
        is_sending_ = false;
    }
}

asio::awaitable<void> TraceExporter::tell(std::vector<WaitingRecord> batch) {
    auto make = [this, &batch] { return make_body(batch, config_.resource); };
    const std::string body = co_await pool_.run(make);
    const Status sent = co_await deliver(body);
    if (sent)
        metrics_.sent.increment(static_cast<double>(batch.size()));
    else
        drop(batch.size(), sent.error().message);
}

asio::awaitable<Status> TraceExporter::deliver(const std::string& body) {
    for (int attempt = 1;; ++attempt) {
        const auto response = co_await send(body);
        std::optional<std::chrono::milliseconds> wait;
        Error error{ErrorKind::transient, ""};
        if (response) {
            if (response->status >= 200 && response->status < 300) co_return Status();
            error.message = fmt::format("the collector answered with status {}", response->status);
            const auto asked = response->headers.find("Retry-After");
            wait = retries_.after_status(
                attempt, response->status,
                asked ? http::parse_retry_after(*asked, clock_.utc_now()) : std::nullopt,
                http::random_fraction());
        } else {
            error = response.error();
            wait = retries_.after_error(attempt, error, http::random_fraction());
        }
        if (!wait) co_return error;
        co_await rest(*wait);
    }
}

// A file with a token may have changed since the last time.
asio::awaitable<Result<http::Response>> TraceExporter::send(std::string body) {
    auto resolve = [this] { return blocking_resolve(config_); };
    const auto headers = co_await pool_.run(resolve);
    if (!headers) co_return headers.error();
    http::Request request;
    request.method = "POST";
    request.url = config_.endpoint;
    request.headers.set("Content-Type", "application/json");
    for (const auto& [name, value] : *headers)
        request.headers.set(name, value);
    request.body = std::move(body);
    http::CallLimits limits;
    limits.total_deadline = clock_.now() + kTimeout;
    limits.max_body_bytes = kMaxAnswerBytes;
    co_return co_await client_.send(std::move(request), limits);
}

// At the end of the program nobody has time.
asio::awaitable<void> TraceExporter::rest(async::Duration duration) {
    if (is_draining_) duration = std::min<async::Duration>(duration, kDrainInterval);
    co_await hurry_.wait(clock_, clock_.now() + duration);
}

asio::awaitable<void> TraceExporter::drain(async::TimePoint deadline) {
    is_draining_ = true;
    hurry_.notify_all();
    while ((is_sending_ || !buffer_.empty()) && clock_.now() < deadline)
        co_await clock_.wait_for(kDrainInterval);
}

}  // namespace evalfleet::traces
