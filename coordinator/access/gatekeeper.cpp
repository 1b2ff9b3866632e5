#include "coordinator/access/gatekeeper.hpp"

#include "common/http/problem.hpp"
#include "common/job/sha256.hpp"
#include "coordinator/access/cookie.hpp"
#include "coordinator/access/same_site.hpp"

#include <boost/asio/ip/address.hpp>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>
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

// 256 random bits in hex.
std::string draw_secret() {
    std::array<unsigned char, 32> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw std::runtime_error("no random bytes are to be had");
    std::string hex;
    for (const unsigned char byte : bytes) {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return hex;
}

std::string sha256_of(std::string_view token) {
    job::Sha256 hash;
    hash.add(token);
    return hash.hex();
}

bool shows_csrf(const http::RequestContext& request, const SessionBook::Session& session) {
    const auto shown = request.headers.find("X-CSRF-Token");
    return shown && shown->size() == session.csrf.size() &&
           CRYPTO_memcmp(shown->data(), session.csrf.data(), session.csrf.size()) == 0;
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
      sessions_(config.sessions),
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

const SessionBook::Session* Gatekeeper::session_of(const http::RequestContext& request) {
    const std::string_view id = cookie_of(request.headers, kSessionCookie);
    if (tokens_ == nullptr || id.empty() || id.size() > kMaxTokenBytes) return nullptr;
    const SessionBook::Session* session = sessions_.find(id, clock_.now());
    if (session == nullptr || tokens_->book().find_sha256(session->token_sha256)) return session;
    sessions_.close(id);
    return nullptr;
}

Gatekeeper::SignIn Gatekeeper::sign_in(std::string_view token, const std::string& peer) {
    if (tokens_ == nullptr) return {.caller = {"local", Role::admin}};
    auto caller = identify(token);
    if (!caller) {
        if (const auto wait = failures_.take(network_of(peer), clock_.now()))
            return {.refusal = too_many(*wait)};
        return {.refusal = refuse(401, "the token is not known")};
    }
    SignIn made{.caller = std::move(*caller),
                .session_id = draw_secret(),
                .csrf = draw_secret(),
                .lifetime = sessions_.config().lifetime};
    sessions_.open(made.session_id, made.csrf, sha256_of(token), clock_.now());
    return made;
}

void Gatekeeper::sign_out(const http::RequestContext& request) {
    sessions_.close(cookie_of(request.headers, kSessionCookie));
}

Gatekeeper::Admission Gatekeeper::admit_known(const http::RequestContext& request, Identity caller,
                                              const SessionBook::Session* session,
                                              std::optional<Role> required) {
    if (const auto wait = per_token_.take(caller.name, clock_.now()))
        return {std::move(caller), too_many(*wait)};
    if (required && caller.role < *required) {
        auto refusal = refuse(403, "the token '" + caller.name + "' is a " +
                                       std::string(to_string(caller.role)) + "; this needs a " +
                                       std::string(to_string(*required)));
        return {std::move(caller), std::move(refusal)};
    }
    if (required && session != nullptr && !is_read(request.method) &&
        !shows_csrf(request, *session))
        return {std::move(caller), refuse(403, "X-CSRF-Token is missing, or not of this session")};
    return {std::move(caller), std::nullopt};
}

Gatekeeper::Admission Gatekeeper::admit(const http::RequestContext& request,
                                        std::optional<Role> required) {
    if (auto refusal = check_site(request)) return {{}, std::move(refusal)};
    if (tokens_ == nullptr) return {{"local", Role::admin}, std::nullopt};
    const std::string_view token = bearer_token(request.headers);
    auto caller = identify(token);
    const SessionBook::Session* session = nullptr;
    if (token.empty()) {
        session = session_of(request);
        if (session != nullptr) caller = tokens_->book().find_sha256(session->token_sha256);
    }
    if (!caller) return admit_unknown(request.peer, !token.empty(), required);
    return admit_known(request, std::move(*caller), session, required);
}

}  // namespace evalfleet::access
