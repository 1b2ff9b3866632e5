#pragma once

#include "common/http/message.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a bucket answers: small XML of a known shape, of which single texts are looked for. Nothing
/// of it is trusted. Pure.
namespace evalfleet::archive {

/// The text of the first element `name`, with entities resolved; nothing if there is none.
[[nodiscard]] std::optional<std::string> find_text(std::string_view xml, std::string_view name);

/// The content of every element `name`, in their order; of at most 10,000.
[[nodiscard]] std::vector<std::string_view> find_all(std::string_view xml, std::string_view name);

/// A part of an upload that the bucket has.
struct Part {
    std::string etag;  ///< with its quotes
    std::uint64_t bytes = 0;
};

struct PartList {
    std::map<std::uint64_t, Part> parts;
    std::optional<std::uint64_t> next_marker;  ///< there are more behind it
};
[[nodiscard]] PartList read_parts(std::string_view xml);

/// The id of the last upload of exactly this key in a list of uploads under way.
[[nodiscard]] std::optional<std::string> find_upload(std::string_view xml, std::string_view key);

/// The body that puts an upload together.
[[nodiscard]] std::string completion_xml(const std::map<std::uint64_t, Part>& parts);

/// Why a request was refused: `status 403: SignatureDoesNotMatch: ...`, at most 300 bytes of the
/// bucket's words.
[[nodiscard]] Error refusal_of(const http::Response& response);

/// The same of a 200 whose body is an error, as the end of an upload may be; nothing if it is none.
[[nodiscard]] std::optional<Error> late_refusal_of(const http::Response& response);

}  // namespace evalfleet::archive
