#include "common/redaction/redactor.hpp"

#include "common/redaction/finder.hpp"

#include <openssl/sha.h>

#include <array>
#include <utility>

namespace evalfleet::redaction {
namespace {

// A replacement can lay bare what stood glued to it; a second round finds that. More than a few
// rounds have no known cause, the bound keeps the work linear.
constexpr int kMaxRounds = 6;

void append_digest(std::string& out, std::string_view value) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(value.data()), value.size(), digest.data());
    for (std::size_t i = 0; i < kDigestSize / 2; ++i) {
        out += kHex[digest[i] >> 4];
        out += kHex[digest[i] & 0xF];
    }
}

}  // namespace

void add(NamedCounts& total, const Counts& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        const std::string_view kind = to_string(static_cast<Kind>(i));
        total[std::string(kind)] += static_cast<std::int64_t>(counts[i]);
    }
}

Redactor::Redactor(const std::vector<std::string>& secrets, Options options)
    : secrets_(std::make_shared<const Secrets>(secrets)), options_(options) {}

Redactor Redactor::sharing(std::shared_ptr<const Secrets> secrets, Options options) {
    Redactor redactor({}, options);
    redactor.secrets_ = std::move(secrets);
    return redactor;
}

Redactor Redactor::without_ip_addresses() const {
    Redactor other = *this;
    other.options_.ip_addresses = false;
    return other;
}

Redacted Redactor::redact(std::string_view text) const {
    return redact(text, Mark::kind);
}

Redacted Redactor::redact_name(std::string_view name) const {
    return redact(name, Mark::kind_and_digest);
}

Redacted Redactor::redact(std::string_view text, Mark mark) const {
    const std::shared_ptr<const SecretIndex> secrets = secrets_->index();
    Finder finder(*secrets, options_);
    Redacted out;
    out.text = text;
    for (int round = 0; round < kMaxRounds; ++round) {
        const std::vector<Match> found = finder.find_in_layers(out.text);
        if (found.empty()) break;
        std::string clean;
        clean.reserve(out.text.size());
        std::size_t done = 0;
        for (const Match& match : found) {
            clean.append(out.text, done, match.begin - done);
            clean += kReplacementBegin;
            clean += to_string(match.kind);
            if (mark == Mark::kind_and_digest) {
                clean += ':';
                append_digest(
                    clean, std::string_view(out.text).substr(match.begin, match.end - match.begin));
            }
            clean += ']';
            ++out.counts[static_cast<std::size_t>(match.kind)];
            done = match.end;
        }
        clean.append(out.text, done);
        out.text = std::move(clean);
    }
    out.steps = finder.steps();
    return out;
}

}  // namespace evalfleet::redaction
