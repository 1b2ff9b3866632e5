#include "cli/doctor/machine_checks.hpp"

#include "common/providers/api_key.hpp"
#include "common/version/version.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <memory>
#include <system_error>

namespace evalfleet::doctor {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastRoom = 200 * kMiB;
constexpr std::uint64_t kGoodRoom = 5 * 1024 * kMiB;
constexpr std::uint64_t kGoodFiles = 4096;

/// As one word of a shell's command, whatever is in it.
std::string in_quotes(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

/// What a program of ours says to `--version`; empty if it cannot be run.
std::string blocking_version_of(const fs::path& program) {
    const std::string command = in_quotes(program.string()) + " --version 2>/dev/null";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                               ::pclose);
    if (pipe == nullptr) return "";
    std::array<char, 256> line{};
    if (std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) == nullptr) return "";
    std::string text(line.data());
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

void check_limits(const providers::ProviderConfig& provider, Findings& findings) {
    const providers::Limits& limits = provider.limits;
    const std::string what = "provider " + provider.name + " limits";
    if (limits == providers::Limits{}) {
        findings.push_back(doubtful(
            what, "none are given",
            "give rpm, tpm or max_concurrent of your account: without them the fleet finds them "
            "out by being refused"));
        return;
    }
    findings.push_back(well(what, fmt::format("rpm {}, tpm {}, at once {} (0: none)", limits.rpm,
                                              limits.tpm, limits.max_concurrent)));
}

void check_prices(const providers::ProviderConfig& provider, Findings& findings) {
    if (provider.prices || !provider.model_prices.empty()) return;
    findings.push_back(doubtful("provider " + provider.name + " prices", "none are given",
                                "give prices: without them costs are not known, and a run cannot "
                                "have a budget of money"));
}

}  // namespace

Finding check_room(const std::string& folder, std::uint64_t free_bytes, std::uint64_t total_bytes) {
    const std::string found =
        fmt::format("{}: {} MiB free of {} MiB", folder, free_bytes / kMiB, total_bytes / kMiB);
    if (free_bytes < kLeastRoom)
        return broken("disk", found, "make room: a run pauses when its records cannot be written");
    if (free_bytes < kGoodRoom)
        return doubtful("disk", found,
                        "a record has 1 to 4 KiB: 100,000 trials need up to 1 GiB, "
                        "with log and reports");
    return well("disk", found);
}

Finding check_open_files(std::uint64_t most) {
    if (most >= kGoodFiles) return well("open files", fmt::format("up to {}", most));
    return doubtful("open files", fmt::format("only {}", most),
                    "raise the hard limit (ulimit -Hn, LimitNOFILE): each call holds a connection");
}

Finding blocking_check_room(const fs::path& folder) {
    std::error_code code;
    const auto room = fs::space(folder, code);
    if (code)
        return broken("disk", folder.string() + ": " + code.message(),
                      "name a folder that is there");
    return check_room(folder.string(), room.available, room.capacity);
}

Finding blocking_check_open_files() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return check_open_files(0);
    return check_open_files(limit.rlim_max);
}

Findings blocking_check_programs(const fs::path& folder) {
    Findings findings;
    for (const char* name : {"evalfleet-coordinator", "evalfleet-worker"}) {
        const std::string expected = version_line(name);
        const std::string found = blocking_version_of(folder / name);
        if (found == expected) {
            findings.push_back(well(name, found));
        } else if (found.empty()) {
            findings.push_back(broken(name, "cannot be run: " + (folder / name).string(),
                                      "install it beside evalfleet"));
        } else {
            findings.push_back(
                doubtful(name, found + "; this is " + expected, "install programs of one version"));
        }
    }
    return findings;
}

Findings blocking_check_providers(const providers::Providers& all,
                                  const config::Environment& environment) {
    Findings findings;
    for (const auto& [name, provider] : all) {
        const std::string what = "provider " + name;
        bool is_complete = true;
        for (const providers::NamedSecret& secret : providers::all_secrets_of(provider)) {
            const auto value = providers::blocking_read_secret(secret.source, environment);
            if (value) continue;
            is_complete = false;
            findings.push_back(broken(what, secret.member + ": " + value.error().message,
                                      "set it where the workers run"));
        }
        if (is_complete) {
            const std::string label =
                provider.api_key_id ? ", key " + *provider.api_key_id : std::string();
            findings.push_back(well(
                what, (provider.program ? std::string("a program") : provider.base_url.redacted()) +
                          label + "; its secrets are set"));
        }
        check_limits(provider, findings);
        check_prices(provider, findings);
    }
    return findings;
}

}  // namespace evalfleet::doctor
