#include "common/archive/s3_reply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace evalfleet::archive {

namespace {

constexpr std::size_t kMaxElements = 10'000;
constexpr std::size_t kMaxWords = 300;

std::string resolve(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, char>, 6> kEntities{{{"&quot;", '"'},
                                                                          {"&#34;", '"'},
                                                                          {"&apos;", '\''},
                                                                          {"&lt;", '<'},
                                                                          {"&gt;", '>'},
                                                                          {"&amp;", '&'}}};
    std::string out;
    while (!text.empty()) {
        const auto found = std::ranges::find_if(
            kEntities, [&](const auto& entity) { return text.starts_with(entity.first); });
        const bool is_entity = found != kEntities.end();
        out += is_entity ? found->second : text.front();
        text.remove_prefix(is_entity ? found->first.size() : 1);
    }
    return out;
}

std::string escape(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else
            out += c;
    }
    return out;
}

std::optional<std::uint64_t> number_of(std::string_view xml, std::string_view name) {
    const auto text = find_text(xml, name);
    if (!text) return std::nullopt;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
    return number;
}

std::string words_of(std::string_view xml) {
    std::string words = find_text(xml, "Code").value_or("");
    const std::string message = find_text(xml, "Message").value_or("");
    if (!message.empty()) words += (words.empty() ? "" : ": ") + message;
    words.resize(std::min(words.size(), kMaxWords));
    std::ranges::replace_if(
        words, [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
    return words;
}

}  // namespace

std::vector<std::string_view> find_all(std::string_view xml, std::string_view name) {
    const std::string open = fmt::format("<{}", name);
    const std::string close = fmt::format("</{}>", name);
    std::vector<std::string_view> found;
    while (found.size() < kMaxElements) {
        const auto begin = xml.find(open);
        if (begin == std::string_view::npos) break;
        xml.remove_prefix(begin + open.size());
        const auto end = xml.find('>');
        if (end == std::string_view::npos) break;
        const bool is_it = end == 0 || xml.front() == ' ' || xml.front() == '/';
        const bool is_empty = is_it && end > 0 && xml[end - 1] == '/';
        xml.remove_prefix(end + 1);
        if (!is_it) continue;
        const auto last = is_empty ? 0 : xml.find(close);
        if (last == std::string_view::npos) break;
        found.push_back(xml.substr(0, last));
        xml.remove_prefix(last);
    }
    return found;
}

std::optional<std::string> find_text(std::string_view xml, std::string_view name) {
    const auto all = find_all(xml, name);
    if (all.empty()) return std::nullopt;
    return resolve(all.front());
}

PartList read_parts(std::string_view xml) {
    PartList list;
    for (const std::string_view part : find_all(xml, "Part")) {
        const auto number = number_of(part, "PartNumber");
        const auto bytes = number_of(part, "Size");
        auto etag = find_text(part, "ETag");
        if (number && bytes && etag) list.parts[*number] = {std::move(*etag), *bytes};
    }
    if (find_text(xml, "IsTruncated") == "true")
        list.next_marker = number_of(xml, "NextPartNumberMarker");
    return list;
}

std::optional<std::string> find_upload(std::string_view xml, std::string_view key) {
    std::optional<std::string> id;
    for (const std::string_view upload : find_all(xml, "Upload")) {
        if (find_text(upload, "Key") == key) id = find_text(upload, "UploadId");
    }
    return id;
}

std::string completion_xml(const std::map<std::uint64_t, Part>& parts) {
    std::string xml = "<CompleteMultipartUpload>";
    for (const auto& [number, part] : parts)
        xml += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", number,
                           escape(part.etag));
    return xml + "</CompleteMultipartUpload>";
}

Error refusal_of(const http::Response& response) {
    std::string message = fmt::format("status {}", response.status);
    if (const std::string words = words_of(response.body); !words.empty()) message += ": " + words;
    if (const auto region = response.headers.find("x-amz-bucket-region");
        region && (response.status == 301 || response.status == 400))
        message += fmt::format(" (the bucket is in the region {})", region->substr(0, 64));
    if (response.status == 401 || response.status == 403) return {ErrorKind::denied, message};
    if (response.status == 404) return {ErrorKind::not_found, message};
    return {response.status >= 500 ? ErrorKind::transient : ErrorKind::invalid, message};
}

std::optional<Error> late_refusal_of(const http::Response& response) {
    if (find_all(response.body, "Error").empty()) return std::nullopt;
    return Error{ErrorKind::transient, "answered late: " + words_of(response.body)};
}

}  // namespace evalfleet::archive
