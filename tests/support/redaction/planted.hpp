#pragma once

#include <string>
#include <vector>

namespace evalfleet::testing {

/// Something that must never be stored, in a text as people and programs write it.
struct Planted {
    std::string kind;    ///< "github token", "iban", ...
    std::string text;    ///< with what stands around it
    std::string secret;  ///< the part of it that must go
};

/// Secrets of every kind, drawn from `seed`. All values are made up at run time.
[[nodiscard]] std::vector<Planted> planted_secrets(unsigned seed);
/// Personal data of every kind: documented examples and made-up numbers with right check digits.
[[nodiscard]] std::vector<Planted> planted_persons(unsigned seed);
/// Both, at least 200 of at least 40 kinds.
[[nodiscard]] std::vector<Planted> planted_corpus();

/// A way to write a text, as logs have them.
struct Encoding {
    std::string name;
    std::string (*encode)(const std::string& text);
};
[[nodiscard]] const std::vector<Encoding>& log_encodings();

/// 2,000 texts that hold nothing of anybody: hashes, ids, code, prices, dates, numbers of books.
[[nodiscard]] std::vector<std::string> innocent_corpus();
/// 2,000 ids of requests as the services give them.
[[nodiscard]] std::vector<std::string> innocent_request_ids();

}  // namespace evalfleet::testing
