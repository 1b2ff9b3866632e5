#include "common/json/document.hpp"

#include "common/json/diagnose.hpp"
#include "common/json/duplicate_keys.hpp"

#include <fmt/format.h>
#include <simdjson.h>

namespace evalfleet::json {

struct Parser::State {
    explicit State(Limits bounds) : limits(bounds) {}

    Limits limits;
    simdjson::dom::parser parser;
};

Parser::Parser(Limits limits) : state_(std::make_unique<State>(limits)) {
    if (state_->parser.allocate(0, limits.max_depth) != simdjson::SUCCESS) throw std::bad_alloc();
}

Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

Result<Value> Parser::parse(std::string_view text) {
    const Limits& limits = state_->limits;
    if (text.size() > limits.max_bytes) {
        return Error{ErrorKind::too_large, fmt::format("JSON of {} bytes, allowed are {}",
                                                       text.size(), limits.max_bytes)};
    }
    const auto parsed = state_->parser.parse(text.data(), text.size());
    if (parsed.error() == simdjson::MEMALLOC) {
        return Error{ErrorKind::internal, "not enough memory to read JSON"};
    }
    if (parsed.error() != simdjson::SUCCESS) {
        const auto fault = diagnose(text, limits.max_depth);
        if (fault) return *fault;
        return Error{ErrorKind::invalid, simdjson::error_message(parsed.error())};
    }
    const Value root(&state_->parser.doc, 1);
    if (limits.reject_duplicate_keys) {
        if (auto unique = check_unique_keys(root); !unique) return unique.error();
    }
    return root;
}

Result<Document> Document::parse(std::string_view text, Limits limits) {
    Parser parser(limits);
    const auto root = parser.parse(text);
    if (!root) return root.error();
    return Document(std::move(parser), *root);
}

}  // namespace evalfleet::json
