#include "common/traces/trace_config.hpp"

#include "common/config/command_line.hpp"
#include "common/config/fields.hpp"
#include "common/files/file.hpp"
#include "common/http/headers.hpp"
#include "common/providers/api_key.hpp"
#include "common/providers/header_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace evalfleet::traces {

namespace {

constexpr std::uint64_t kMaxFileBytes = 256 * 1024;
constexpr std::size_t kMaxEntries = 64;

bool is_own_header(std::string_view name) {
    constexpr std::array<std::string_view, 6> kOwn{
        "host",       "content-length",   "content-type",
        "connection", "content-encoding", "transfer-encoding"};
    return std::ranges::any_of(kOwn, [&](std::string_view own) {
        return std::ranges::equal(own, name, [](char a, char b) {
            return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
        });
    });
}

/// As the specification of OTLP has it: a base address gets the path, a whole one stays.
void read_endpoint(config::Fields& file, TraceConfig& config) {
    std::string text;
    file.require("endpoint", text);
    if (text.empty()) return;
    auto url = http::Url::parse(text);
    if (!url || !url->userinfo.empty()) {
        file.fail("endpoint", "found no address, allowed: an http or https URL without a user");
        return;
    }
    config.endpoint = *std::move(url);
    if (config.endpoint.target == "/") config.endpoint.target = "/v1/traces";
}

/// The members of a map, each known by its name; none if there are too many.
std::vector<std::string> names_in(config::Fields& file, config::Fields& map, const char* what) {
    std::vector<std::string> names;
    if (!map.node()) return names;
    for (const config::YamlMember& each : map.node()->members())
        names.push_back(each.key);
    if (names.size() <= kMaxEntries) return names;
    file.fail(what, "found " + std::to_string(names.size()) + " of them, allowed: at most 64");
    return {};
}

void read_headers(config::Fields& file, TraceConfig& config) {
    if (!file.has("headers")) return;
    config::Fields headers = file.map("headers");
    for (const std::string& name : names_in(file, headers, "headers")) {
        if (http::is_token(name) && !is_own_header(name)) {
            config.headers.push_back(providers::read_header(headers, name));
            continue;
        }
        static_cast<void>(headers.take(name));
        headers.fail(name, "is a header that requests have by themselves, or none at all");
    }
}

void read_resource(config::Fields& file, TraceConfig& config) {
    if (!file.has("resource")) return;
    config::Fields resource = file.map("resource");
    for (const std::string& name : names_in(file, resource, "resource"))
        resource.read(name, config.resource[name]);
}

}  // namespace

Result<TraceConfig> parse_traces(std::string_view yaml, std::string file_name) {
    const auto root = config::read_yaml(yaml, std::move(file_name));
    if (!root) return root.error();
    config::Validator validator;
    config::Fields file(*root, validator);
    TraceConfig config;
    read_endpoint(file, config);
    file.read("sample", config.sample, config::between(0.0, 1.0));
    read_headers(file, config);
    read_resource(file, config);
    file.finish();
    if (const Status good = validator.status(); !good) return good.error();
    return config;
}

Result<TraceConfig> blocking_read_traces(const std::filesystem::path& file) {
    const auto text = files::blocking_read_file(file, kMaxFileBytes);
    if (!text) return text.error();
    return parse_traces(*text, file.string());
}

Result<HeaderValues> blocking_resolve(const TraceConfig& config) {
    HeaderValues values;
    for (const providers::ExtraHeader& header : config.headers) {
        std::string value = header.value;
        if (header.is_secret()) {
            const auto secret = providers::blocking_read_secret({header.env, header.file},
                                                                config::process_environment());
            if (!secret) return secret.error().within("headers." + header.name);
            value += *secret;
        }
        values.emplace_back(header.name, std::move(value));
    }
    return values;
}

}  // namespace evalfleet::traces
