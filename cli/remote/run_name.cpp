#include "cli/remote/run_name.hpp"

#include "common/json/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace evalfleet::remote {

namespace {

constexpr std::string_view kLast = "@last";
constexpr std::size_t kMaxNamed = 5;

Error there_is_none(std::string_view said) {
    return {ErrorKind::not_found,
            fmt::format("there is no run {}; `evalfleet list` shows those that there are", said)};
}

Result<std::vector<std::string>> blocking_list(Session& session, const std::string& query) {
    const auto page = session.blocking_call({.path = "/runs" + query});
    if (!page) return page.error();
    const auto document = json::Document::parse(*page);
    if (!document) return document.error();
    const auto runs = document->root().get<json::Array>("runs");
    if (!runs) return runs.error();
    std::vector<std::string> ids;
    for (const json::Value run : *runs) {
        auto id = run.get<std::string>("run_id");
        if (!id) return id.error();
        ids.push_back(std::move(*id));
    }
    return ids;
}

Result<std::string> blocking_find_last(Session& session, const std::string& said) {
    const std::string_view rest = std::string_view(said).substr(kLast.size());
    if (!rest.empty() && (rest.size() < 2 || rest[0] != ':')) {
        return Error{
            ErrorKind::invalid,
            fmt::format("found \"{}\", allowed: @last, @last:NAME, an id or its beginning", said)};
    }
    std::string query = "?limit=1";
    if (!rest.empty()) query += "&name=" + encode(std::string(rest.substr(1)));
    const auto ids = blocking_list(session, query);
    if (!ids) return ids.error();
    if (ids->empty()) return there_is_none(said);
    return ids->front();
}

}  // namespace

Result<std::string> choose_run(std::string_view said, const std::vector<std::string>& ids) {
    std::vector<std::string> fitting;
    std::ranges::copy_if(ids, std::back_inserter(fitting), [said](const std::string& id) {
        return std::string_view(id).starts_with(said);
    });
    if (fitting.empty()) return there_is_none(said);
    if (fitting.size() == 1) return fitting.front();
    const std::size_t count = fitting.size();
    fitting.resize(std::min(count, kMaxNamed));
    return Error{ErrorKind::invalid,
                 fmt::format("{} runs begin with \"{}\": {}{}", count, said,
                             fmt::join(fitting, ", "), count > kMaxNamed ? ", ..." : "")};
}

Result<std::string> blocking_find_run(Session& session, const std::string& said) {
    if (said.starts_with(kLast)) return blocking_find_last(session, said);
    const auto known = session.blocking_call({.path = "/runs/" + encode(said)});
    if (known) return said;
    if (known.error().kind != ErrorKind::not_found) return known.error();
    const auto ids = blocking_list(session, "?limit=500&q=" + encode(said));
    if (!ids) return ids.error();
    return choose_run(said, *ids);
}

}  // namespace evalfleet::remote
