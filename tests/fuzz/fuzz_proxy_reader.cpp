#include "common/http/message_parser.hpp"
#include "common/http/proxy.hpp"
#include "common/http/socks.hpp"
#include "tests/fuzz/check.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

/// What proxies answer: the messages of SOCKS 5, and the response to CONNECT.
namespace {

using namespace evalfleet;
using namespace evalfleet::http;
using fuzz::check;

constexpr std::size_t kMaxHeaderBytes = 16 * 1024;
constexpr std::size_t kLongestBound = 255 + 2;  // a name and a port

/// As the connector reads them: each message as long as the one before says.
void check_socks(std::string_view bytes) {
    const auto take = [&bytes](std::size_t size) -> std::optional<std::string_view> {
        if (bytes.size() < size) return std::nullopt;
        const std::string_view taken = bytes.substr(0, size);
        bytes.remove_prefix(size);
        return taken;
    };
    const auto choice = take(socks::kChoiceBytes);
    if (!choice) return;
    const auto wants_login = socks::read_choice(*choice);
    check(wants_login || !wants_login.error().message.empty(), "a refusal has a reason");
    if (!wants_login) return;
    if (*wants_login) {
        const auto answer = take(socks::kChoiceBytes);
        if (!answer || !socks::read_login(*answer)) return;
    }
    const auto head = take(socks::kReplyHeadBytes);
    if (!head) return;
    const auto rest = socks::read_reply(*head);
    check(rest || !rest.error().message.empty(), "a refusal has a reason");
    check(!rest || *rest <= kLongestBound, "what follows has a bound");
    check(!rest || (*head)[1] == 0, "only success lets us through");
}

struct Outcome {
    bool is_good = true;
    bool is_done = false;
    int status = 0;
    bool operator==(const Outcome&) const = default;
};

/// What the response to CONNECT comes to if it arrives in pieces of `size` bytes.
Outcome read_tunnel(std::string_view bytes, std::size_t size) {
    MessageParser parser(MessageKind::response, kMaxHeaderBytes);
    parser.expect_no_body();
    std::size_t at = 0;  // what the parser took
    std::size_t arrived = 0;
    while (!parser.is_done() && arrived < bytes.size()) {
        arrived = std::min(arrived + size, bytes.size());
        const auto used = parser.feed(bytes.substr(at, arrived - at));
        if (!used) return {.is_good = false};
        check(*used <= arrived - at, "it takes no more than there is");
        at += *used;
    }
    if (!parser.is_done()) return {};
    return {.is_done = true, .status = parser.head().status};
}

/// The names of proxies, which an environment holds.
void check_rules(const std::string& text) {
    const auto rules = ProxyRules::create({text, text, text});
    check(rules || !rules.error().message.empty(), "a refusal has a reason");
    if (!rules) return;
    const auto url = Url::parse("https://model.test/v1");
    const Proxy* proxy = rules->choose(*url);
    check(proxy == nullptr || !proxy->url.host.empty(), "a proxy has a place");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    check_socks(text);
    check_rules(text);
    const Outcome whole = read_tunnel(text, std::max<std::size_t>(size, 1));
    const Outcome dripped = read_tunnel(text, 1);
    check(!whole.is_done || whole == dripped, "where an answer is cut changes nothing");
    return 0;
}
