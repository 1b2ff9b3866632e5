#include "common/http/socks.hpp"

#include <boost/asio/ip/address.hpp>

#include <array>

namespace evalfleet::http::socks {

namespace {

constexpr char kVersion = 5;
constexpr char kLoginVersion = 1;
constexpr unsigned char kNoLogin = 0;
constexpr unsigned char kPassword = 2;
constexpr char kConnect = 1;
constexpr unsigned char kAddressV4 = 1;
constexpr unsigned char kName = 3;
constexpr unsigned char kAddressV6 = 4;
constexpr std::size_t kMaxLength = 255;

unsigned char byte_of(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

Error malformed() {
    return {ErrorKind::invalid, "the proxy does not speak SOCKS 5"};
}

template <class Bytes>
void append(std::string& out, const Bytes& bytes) {
    out.append(bytes.begin(), bytes.end());
}

void append_text(std::string& out, std::string_view text) {
    out += static_cast<char>(text.size());
    out += text;
}

struct Refusal {
    ErrorKind kind;
    std::string_view message;
};

/// By the number that the proxy gives.
constexpr std::array kRefusals{
    Refusal{ErrorKind::transient, "the proxy failed"},
    Refusal{ErrorKind::denied, "the proxy does not allow this connection"},
    Refusal{ErrorKind::transient, "the proxy cannot reach the network"},
    Refusal{ErrorKind::transient, "the proxy cannot reach the host"},
    Refusal{ErrorKind::transient, "the proxy's connection was refused"},
    Refusal{ErrorKind::transient, "the proxy's connection took too long"},
    Refusal{ErrorKind::invalid, "the proxy cannot connect"},
    Refusal{ErrorKind::invalid, "the proxy does not take this kind of address"},
};

}  // namespace

Status check(const Credentials& credentials) {
    if (credentials.user.size() <= kMaxLength && credentials.password.size() <= kMaxLength)
        return {};
    return Error{ErrorKind::invalid, "user or password of the proxy is longer than 255 bytes"};
}

std::string greeting(bool has_credentials) {
    if (!has_credentials) return {kVersion, 1, kNoLogin};
    return {kVersion, 2, kNoLogin, kPassword};
}

Result<bool> read_choice(std::string_view two_bytes) {
    if (two_bytes[0] != kVersion) return malformed();
    const unsigned char choice = byte_of(two_bytes, 1);
    if (choice == kNoLogin) return false;
    if (choice == kPassword) return true;
    return Error{ErrorKind::denied, "the proxy wants credentials that it was not given"};
}

std::string login(const Credentials& credentials) {
    std::string out{kLoginVersion};
    append_text(out, credentials.user);
    append_text(out, credentials.password);
    return out;
}

Status read_login(std::string_view two_bytes) {
    if (byte_of(two_bytes, 1) == 0) return {};
    return Error{ErrorKind::denied, "the proxy refused user and password"};
}

Result<std::string> request(std::string_view host, std::uint16_t port) {
    std::string out{kVersion, kConnect, 0};
    boost::system::error_code is_name;
    const auto address = boost::asio::ip::make_address(std::string(host), is_name);
    if (is_name) {
        if (host.size() > kMaxLength)
            return Error{ErrorKind::invalid, "a host's name is longer than 255 bytes"};
        out += static_cast<char>(kName);
        append_text(out, host);
    } else if (address.is_v4()) {
        out += static_cast<char>(kAddressV4);
        append(out, address.to_v4().to_bytes());
    } else {
        out += static_cast<char>(kAddressV6);
        append(out, address.to_v6().to_bytes());
    }
    out += static_cast<char>(port >> 8);
    out += static_cast<char>(port & 0xFF);
    return out;
}

Result<std::size_t> read_reply(std::string_view five_bytes) {
    constexpr std::size_t kPortBytes = 2;
    if (five_bytes[0] != kVersion) return malformed();
    const unsigned char code = byte_of(five_bytes, 1);
    if (code != 0) {
        const Refusal& refusal = kRefusals[code <= kRefusals.size() ? code - 1U : 0U];
        return Error{refusal.kind, std::string(refusal.message)};
    }
    // The fifth byte is the first of the address.
    switch (byte_of(five_bytes, 3)) {
        case kAddressV4:
            return 4 - 1 + kPortBytes;
        case kAddressV6:
            return 16 - 1 + kPortBytes;
        case kName:
            return byte_of(five_bytes, 4) + kPortBytes;
        default:
            return malformed();
    }
}

}  // namespace evalfleet::http::socks
