#include "cli/simulator/body_faults.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace evalfleet::simulator {

namespace asio = boost::asio;

namespace {

// A reply drips in so many pieces.
constexpr std::size_t kDrops = 32;

}  // namespace

asio::awaitable<Status> write_blanks(http::BodyWriter& writer, std::uint64_t count) {
    constexpr std::uint64_t kBlock = 64 * 1024;
    const std::string blanks(std::min(count, kBlock), ' ');
    while (count > 0) {
        const auto step = std::min<std::uint64_t>(count, kBlock);
        const Status sent = co_await writer.write(std::string_view(blanks).substr(0, step));
        if (!sent) co_return sent;
        count -= step;
    }
    co_return Status{};
}

void add_blank_error(std::string& text) {
    const auto brace = text.find('{');
    if (brace != std::string::npos) text.insert(brace + 1, R"("error":"",)");
}

bool breaks_body(Fault fault) {
    return fault == Fault::drip || fault == Fault::oversized || fault == Fault::stall ||
           fault == Fault::cut;
}

BodyFaultProducer::BodyFaultProducer(std::string body, const Outcome& outcome,
                                     std::chrono::seconds stall)
    : body_(std::move(body)),
      fault_(outcome.fault),
      pause_(outcome.drip),
      oversized_bytes_(outcome.oversized_bytes),
      stall_(stall) {}

asio::awaitable<Status> BodyFaultProducer::produce(http::BodyWriter& writer) {
    if (fault_ == Fault::drip) co_return co_await drip(writer);
    const bool is_whole = fault_ == Fault::oversized;
    if (!is_whole) body_.resize(body_.size() / 2);
    const Status sent = co_await writer.write(body_);
    if (!sent) co_return sent;
    if (is_whole) co_return co_await write_blanks(writer, oversized_bytes_);
    if (fault_ == Fault::stall) co_await writer.clock().wait_for(stall_);
    co_return Error{ErrorKind::transient, "cut as ordered"};
}

asio::awaitable<Status> BodyFaultProducer::drip(http::BodyWriter& writer) {
    std::string_view rest = body_;
    const std::size_t step = rest.size() / kDrops + 1;
    while (!rest.empty()) {
        co_await writer.clock().wait_for(pause_);
        const std::string_view drop = rest.substr(0, step);
        const Status sent = co_await writer.write(drop);
        if (!sent) co_return sent;
        rest.remove_prefix(drop.size());
    }
    co_return Status{};
}

}  // namespace evalfleet::simulator
