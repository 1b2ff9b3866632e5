#include "common/redis/function_library.hpp"

#include "common/redis/server_error.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <utility>

namespace evalfleet::redis {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kNameMark = "#!lua name=";
constexpr std::string_view kVersionMark = "-- version: ";
constexpr std::string_view kServesMark = "-- serves: ";

/// The line of `text` that begins at `begin`.
std::string_view line_at(std::string_view text, std::size_t begin) {
    return text.substr(begin, text.find('\n', begin) - begin);
}

/// The number behind `mark`, which begins a line; 0 if there is none.
std::int64_t number_at(std::string_view code, std::string_view mark) noexcept {
    std::size_t begin = 0;
    while (begin < code.size()) {
        std::string_view line = line_at(code, begin);
        begin += line.size() + 1;
        if (!line.starts_with(mark)) continue;
        line.remove_prefix(mark.size());
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
        return error == std::errc() && end == line.data() + line.size() ? number : 0;
    }
    return 0;
}

Error not_served(const LibraryText& ours, std::string_view installed) {
    return {
        ErrorKind::denied,
        fmt::format("Redis has version {} of the function library '{}', which serves programs "
                    "from version {} on; this one has version {}: upgrade it",
                    library_version(installed), ours.name, oldest_served(installed), ours.version)};
}

/// The value of a field in the flat list of names and values that FUNCTION LIST answers with.
Result<std::string> field_of(const Reply& library, std::string_view name) {
    auto fields = as<std::map<std::string, Reply>>(library);
    if (!fields) return fields.error();
    const auto place = fields->find(std::string(name));
    if (place == fields->end())
        return Error{ErrorKind::invalid, "redis: FUNCTION LIST lacks " + std::string(name)};
    return as<std::string>(std::move(place->second));
}

/// For a Redis user that may not load functions. Trying again may work: somebody else may.
Error cannot_load(const LibraryText& ours, const std::optional<std::string>& installed) {
    const std::string found = installed ? describe_library(*installed) : "nothing";
    return {ErrorKind::transient, "found " + found + ", needed: " + describe_library(ours.code) +
                                      "; this user of Redis may not load it, one who may does so "
                                      "with: evalfleet functions load"};
}

}  // namespace

std::string library_hash(std::string_view code) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(code.data()), code.size(), digest.data());
    std::string hex;
    for (const unsigned char byte : digest)
        fmt::format_to(std::back_inserter(hex), "{:02x}", byte);
    return hex;
}

std::string describe_library(std::string_view code) {
    constexpr std::size_t kShownDigits = 12;
    return fmt::format("version {}, sha256 {}…", library_version(code),
                       library_hash(code).substr(0, kShownDigits));
}

Result<LibraryText> parse_library(std::string code) {
    if (!code.starts_with(kNameMark))
        return Error{ErrorKind::invalid, "a function library begins with '#!lua name='"};
    LibraryText text;
    text.name = line_at(code, kNameMark.size());
    text.version = library_version(code);
    text.code = std::move(code);
    if (text.name.empty()) return Error{ErrorKind::invalid, "a function library has no name"};
    if (text.version <= 0)
        return Error{ErrorKind::invalid,
                     "the function library '" + text.name + "' has no line '-- version: N'"};
    return text;
}

std::int64_t library_version(std::string_view code) noexcept {
    return number_at(code, kVersionMark);
}

std::int64_t oldest_served(std::string_view code) noexcept {
    const std::int64_t oldest = number_at(code, kServesMark);
    return oldest > 0 ? oldest : library_version(code);
}

LibraryAction decide_action(const LibraryText& ours,
                            const std::optional<std::string>& installed_code) {
    if (!installed_code) return LibraryAction::load;
    if (*installed_code == ours.code) return LibraryAction::keep;
    if (library_version(*installed_code) <= ours.version) return LibraryAction::load;
    return oldest_served(*installed_code) <= ours.version ? LibraryAction::keep
                                                          : LibraryAction::refuse;
}

FunctionLibrary::FunctionLibrary(Client& client, LibraryText text)
    : client_(client), text_(std::move(text)) {}

asio::awaitable<Result<std::optional<std::string>>> FunctionLibrary::installed_code(
    async::TimePoint deadline) {
    Command list("FUNCTION", "LIST", "LIBRARYNAME", text_.name, "WITHCODE");
    const auto libraries = co_await client_.execute_as<std::vector<Reply>>(list, deadline);
    if (!libraries) co_return libraries.error();
    if (libraries->empty()) co_return std::optional<std::string>();
    // The name may be a pattern, but ours is a plain word, so there is one at most.
    Result<std::string> code = field_of(libraries->front(), "library_code");
    if (!code) co_return code.error();
    co_return std::optional<std::string>(std::move(*code));
}

asio::awaitable<Result<std::int64_t>> FunctionLibrary::ensure_loaded(async::TimePoint deadline) {
    const auto installed = co_await installed_code(deadline);
    if (!installed) co_return installed.error().within("function library '" + text_.name + "'");
    const LibraryAction action = decide_action(text_, *installed);
    if (action == LibraryAction::refuse) co_return not_served(text_, **installed);
    if (action == LibraryAction::keep) {
        ++loads_;
        co_return library_version(**installed);
    }
    Command load("FUNCTION", "LOAD", "REPLACE", text_.code);
    const auto name = co_await client_.execute_as<std::string>(load, deadline);
    if (!name) {
        const bool may_not = name.error().kind == ErrorKind::denied;
        const Error error = may_not ? cannot_load(text_, *installed) : name.error();
        co_return error.within("function library '" + text_.name + "'");
    }
    ++loads_;
    co_return text_.version;
}

asio::awaitable<Result<Reply>> FunctionLibrary::call(std::string function,
                                                     std::vector<std::string> keys,
                                                     std::vector<std::string> arguments,
                                                     async::TimePoint deadline) {
    Command command("FCALL", function, keys.size());
    for (const std::string& key : keys)
        command.add(key);
    for (const std::string& argument : arguments)
        command.add(argument);
    const auto begin = std::chrono::steady_clock::now();
    Result<Reply> reply = co_await execute(std::move(command), deadline);
    if (observer_) observer_(function, std::chrono::steady_clock::now() - begin, reply.has_value());
    co_return reply;
}

asio::awaitable<Result<Reply>> FunctionLibrary::execute(Command command,
                                                        async::TimePoint deadline) {
    std::uint64_t seen_loads = loads_;
    if (seen_loads == 0) {
        if (const Status status = co_await reload(seen_loads, deadline); !status)
            co_return status.error();
        seen_loads = loads_;
    }
    Result<Reply> reply = co_await client_.execute(command, deadline);
    if (reply || !is_function_missing(reply.error())) co_return reply;
    if (const Status status = co_await reload(seen_loads, deadline); !status)
        co_return status.error();
    co_return co_await client_.execute(std::move(command), deadline);
}

asio::awaitable<Status> FunctionLibrary::reload(std::uint64_t seen_loads,
                                                async::TimePoint deadline) {
    const async::Semaphore::Permit permit = co_await loading_.acquire();
    if (loads_ != seen_loads) co_return Status{};  // somebody else did it meanwhile
    const auto version = co_await ensure_loaded(deadline);
    if (!version) co_return version.error();
    co_return Status{};
}

}  // namespace evalfleet::redis
