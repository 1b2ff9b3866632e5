#include "common/http/message_parser.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <limits>
#include <utility>

namespace evalfleet::http {

namespace beast = boost::beast;
using beast::http::error;

namespace {

constexpr std::size_t kMaxFields = 256;

Error to_error(const boost::system::error_code& code) {
    if (code == error::header_limit) return {ErrorKind::too_large, "header too large"};
    if (code == error::body_limit) return {ErrorKind::too_large, "body too large"};
    if (code == error::partial_message) return {ErrorKind::transient, "message cut short"};
    return {ErrorKind::invalid, "malformed HTTP message: " + code.message()};
}

}  // namespace

class MessageParser::Grammar {
  public:
    explicit Grammar(std::size_t max_header_bytes) : max_header_bytes_(max_header_bytes) {}
    virtual ~Grammar() = default;

    virtual void skip_body() = 0;
    virtual std::size_t put(std::string_view bytes, boost::system::error_code& code) = 0;
    virtual void put_eof(boost::system::error_code& code) = 0;
    [[nodiscard]] virtual bool is_started() const = 0;
    [[nodiscard]] virtual bool is_header_done() const = 0;
    [[nodiscard]] virtual bool is_done() const = 0;
    [[nodiscard]] virtual bool is_persistent() const = 0;
    [[nodiscard]] virtual std::optional<std::uint64_t> length() const = 0;

    const std::size_t max_header_bytes_;
    std::size_t header_bytes_ = 0;
    std::uint64_t max_body_bytes_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t body_bytes_ = 0;
    MessageHead head_;
    std::string body_;
};

template <bool IsRequest>
class MessageParser::BeastGrammar final : public Grammar,
                                          private beast::http::basic_parser<IsRequest> {
    using Base = beast::http::basic_parser<IsRequest>;
    using Code = boost::system::error_code;

  public:
    explicit BeastGrammar(std::size_t max_header_bytes) : Grammar(max_header_bytes) {
        Base::eager(true);
        Base::header_limit(static_cast<std::uint32_t>(max_header_bytes));
        Base::body_limit(boost::none);
    }

    void skip_body() override { Base::skip(true); }
    std::size_t put(std::string_view bytes, Code& code) override {
        return Base::put(boost::asio::const_buffer(bytes.data(), bytes.size()), code);
    }
    void put_eof(Code& code) override { Base::put_eof(code); }
    bool is_started() const override { return Base::got_some(); }
    bool is_header_done() const override { return Base::is_header_done(); }
    bool is_done() const override { return Base::is_done(); }
    bool is_persistent() const override { return Base::keep_alive(); }
    std::optional<std::uint64_t> length() const override {
        const auto length = Base::content_length();
        if (!length) return std::nullopt;
        return *length;
    }

  private:
    using Text = beast::string_view;

    void on_request_impl(beast::http::verb, Text method, Text target, int version, Code&) override {
        head_.method.assign(method.data(), method.size());
        head_.target.assign(target.data(), target.size());
        head_.version = version;
    }
    void on_response_impl(int status, Text, int version, Code&) override {
        head_.status = status;
        head_.version = version;
    }
    void on_field_impl(beast::http::field, Text name, Text value, Code& code) override {
        if (Base::is_header_done()) return;  // a trailer
        if (head_.headers.size() >= kMaxFields) code = error::header_limit;
        head_.headers.add(std::string(name.data(), name.size()),
                          std::string(value.data(), value.size()));
    }
    void on_header_impl(Code& code) override {
        // Beast takes a coding that it does not know as "until the end", which we could not decode.
        const auto coding = head_.headers.find("Transfer-Encoding");
        if (coding && !iequals(trim(*coding), "chunked")) code = error::bad_transfer_encoding;
    }
    void on_body_init_impl(const boost::optional<std::uint64_t>& length, Code& code) override {
        if (length && *length > max_body_bytes_) code = error::body_limit;
    }
    std::size_t on_body_impl(Text part, Code& code) override {
        body_bytes_ += part.size();
        if (body_bytes_ > max_body_bytes_) code = error::body_limit;
        body_.append(part.data(), part.size());
        return part.size();
    }
    void on_chunk_header_impl(std::uint64_t size, Text, Code& code) override {
        if (size > max_body_bytes_ - body_bytes_) code = error::body_limit;
    }
    std::size_t on_chunk_body_impl(std::uint64_t, Text part, Code& code) override {
        return on_body_impl(part, code);
    }
    void on_finish_impl(Code&) override {}
};

MessageParser::MessageParser(MessageKind kind, std::size_t max_header_bytes) {
    if (kind == MessageKind::request) {
        grammar_ = std::make_unique<BeastGrammar<true>>(max_header_bytes);
    } else {
        grammar_ = std::make_unique<BeastGrammar<false>>(max_header_bytes);
    }
}

MessageParser::MessageParser(MessageParser&&) noexcept = default;
MessageParser& MessageParser::operator=(MessageParser&&) noexcept = default;
MessageParser::~MessageParser() = default;

void MessageParser::expect_no_body() {
    grammar_->skip_body();
}

Result<std::size_t> MessageParser::feed(std::string_view bytes) {
    std::size_t used = 0;
    // Beast wants to be called again after the head, and with at least one byte.
    while (used < bytes.size() && !grammar_->is_done()) {
        boost::system::error_code code;
        const bool in_header = !grammar_->is_header_done();
        const std::size_t step = grammar_->put(bytes.substr(used), code);
        used += step;
        if (in_header) grammar_->header_bytes_ += step;
        if (code && code != error::need_more) return to_error(code);
        // Beast bounds what it sees at once, not the sum of the lines that it took before.
        const bool endless =
            !grammar_->is_header_done() &&
            grammar_->header_bytes_ + bytes.size() - used > grammar_->max_header_bytes_;
        if (endless) return to_error(make_error_code(error::header_limit));
        if (code == error::need_more || step == 0) break;
    }
    return used;
}

Status MessageParser::feed_end() {
    boost::system::error_code code;
    if (!grammar_->is_started()) return to_error(make_error_code(error::partial_message));
    grammar_->put_eof(code);
    if (code) return to_error(code);
    return {};
}

Status MessageParser::limit_body(std::uint64_t max_bytes) {
    grammar_->max_body_bytes_ = max_bytes;
    const bool known_too_long = is_header_done() && content_length().value_or(0) > max_bytes;
    if (known_too_long || body_bytes() > max_bytes) {
        return to_error(make_error_code(error::body_limit));
    }
    return {};
}

bool MessageParser::has_started() const {
    return grammar_->is_started();
}
bool MessageParser::is_header_done() const {
    return grammar_->is_header_done();
}
bool MessageParser::is_done() const {
    return grammar_->is_done();
}
bool MessageParser::keep_alive() const {
    return grammar_->is_persistent();
}
std::optional<std::uint64_t> MessageParser::content_length() const {
    return grammar_->length();
}
std::uint64_t MessageParser::body_bytes() const {
    return grammar_->body_bytes_;
}
MessageHead& MessageParser::head() {
    return grammar_->head_;
}
std::string MessageParser::take_body() {
    return std::exchange(grammar_->body_, {});
}

}  // namespace evalfleet::http
