#include "common/scoring/prompt_template.hpp"
#include "tests/fuzz/check.hpp"

#include <re2/re2.h>

#include <cstdint>

namespace {

using namespace evalfleet;

/// Values that look like placeholders, or would make one together.
std::optional<std::string_view> value_of(std::string_view name) {
    if (name == "task") return "{{task}}";
    if (name == "a") return "{{";
    if (name == "b") return "a}}";
    if (name == "empty") return "";
    return std::nullopt;
}

/// The definition, said once more with a regular expression: the leftmost placeholder is replaced,
/// then the search goes on behind it.
std::string reference(std::string_view text) {
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    static const re2::RE2 placeholder(R"(\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\})", options);
    std::string out;
    std::size_t at = 0;
    re2::StringPiece found[2];
    while (placeholder.Match({text.data(), text.size()}, at, text.size(), re2::RE2::UNANCHORED,
                             found, 2)) {
        const auto begin = static_cast<std::size_t>(found[0].data() - text.data());
        out += text.substr(at, begin - at);
        out += value_of({found[1].data(), found[1].size()}).value_or("");
        at = begin + found[0].size();
    }
    out += text.substr(at);
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const scoring::PromptTemplate prompt(text);
    fuzz::check(prompt.render(value_of) == reference(text), "rendering follows its definition");
    fuzz::check(prompt.text() == text, "the text stays");
    return 0;
}
