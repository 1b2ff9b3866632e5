#include "coordinator/access/gatekeeper.hpp"

#include "common/http/problem.hpp"
#include "coordinator/access/same_site.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <utility>

namespace evalfleet::access {

namespace {

constexpr std::size_t kMaxTokenBytes = 512;
constexpr std::string_view kScheme = "Bearer ";

http::Reply too_many(std::chrono::milliseconds wait) {
    const auto seconds = std::max<std::int64_t>(1, (wait.count() + 999) / 1000);
    http::Reply reply = http::Problem{.status = 429, .detail = "too many requests"}.to_reply();
    reply.headers.set("Retry-After", std::to_string(seconds));
    return reply;
}

http::Reply refuse(int status, std::string detail) {
    return http::Problem{.status = status, .detail = std::move(detail)}.to_reply();
}

bool is_read(const std::string& method) {
    return method == "GET" || method == "HEAD";
}

}  // namespace

std::string network_of(const std::string& peer) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(peer, error);
    if (error || address.is_v4()) return peer;
    if (address.to_v6().is_v4_mapped())
        return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6())
            .to_string();
    auto bytes = address.to_v6().to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
    return boost::asio::ip::address_v6(bytes).to_string() + "/64";
}

std::string_view bearer_token(const http::Headers& headers) {
    const auto value = headers.find("Authorization");
    if (!value || value->size() < kScheme.size()) return {};
    if (!http::iequals(value->substr(0, kScheme.size()), kScheme)) return {};
    return http::trim(value->substr(kScheme.size()));
}

Gatekeeper::Gatekeeper(Config config, const TokenKeeper* tokens, async::Clock& clock)
    : per_token_(config.per_token),
      per_address_(config.per_address),
      failures_(config.failures),
      tokens_(tokens),
      clock_(clock) {}

std::optional<http::Reply> Gatekeeper::check_site(const http::RequestContext& request) const {
    if (tokens_ == nullptr && !is_for_loopback(request.headers))
        return refuse(403, "without a tokens file only requests to this machine are answered");
    if (!is_read(request.method) && is_from_another_site(request.headers))
        return refuse(403, "the request comes from a page of another site");
    return std::nullopt;
}

std::optional<Identity> Gatekeeper::identify(std::string_view token) const {
    if (token.empty() || token.size() > kMaxTokenBytes) return std::nullopt;
    return tokens_->book().find(token);
}

Gatekeeper::Admission Gatekeeper::admit_unknown(const std::string& peer, bool had_token,
                                                std::optional<Role> required) {
    const std::string address = network_of(peer);
    if (const auto wait = per_address_.take(address, clock_.now())) return {{}, too_many(*wait)};
    if (!required) return {{"anybody", Role::reader}, std::nullopt};
    if (had_token) {
        if (const auto wait = failures_.take(address, clock_.now())) return {{}, too_many(*wait)};
    }
    http::Reply reply = refuse(401, had_token ? "the token is not known" : "a token is needed");
    reply.headers.set("WWW-Authenticate", "Bearer");
    return {{}, std::move(reply)};
}

Gatekeeper::Admission Gatekeeper::admit(const http::RequestContext& request,
                                        std::optional<Role> required) {
    if (auto refusal = check_site(request)) return {{}, std::move(refusal)};
    if (tokens_ == nullptr) return {{"local", Role::admin}, std::nullopt};
    const std::string_view token = bearer_token(request.headers);
    auto caller = identify(token);
    if (!caller) return admit_unknown(request.peer, !token.empty(), required);
    if (const auto wait = per_token_.take(caller->name, clock_.now()))
        return {std::move(*caller), too_many(*wait)};
    if (required && caller->role < *required) {
        auto refusal = refuse(403, "the token '" + caller->name + "' is a " +
                                       std::string(to_string(caller->role)) + "; this needs a " +
                                       std::string(to_string(*required)));
        return {std::move(*caller), std::move(refusal)};
    }
    return {std::move(*caller), std::nullopt};
}

}  // namespace evalfleet::access
