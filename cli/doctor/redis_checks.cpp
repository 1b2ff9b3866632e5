#include "cli/doctor/redis_checks.hpp"

#include "common/config/units.hpp"
#include "common/redis/function_library.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace evalfleet::doctor {

namespace {

constexpr std::int64_t kOldestVersion = 7;
constexpr std::chrono::milliseconds kClockTolerance{1'000};
constexpr std::chrono::milliseconds kFar{50};

class Checks {
  public:
    Checks(const RedisFacts& facts, const std::string& ours) : facts_(facts), ours_(ours) {}

    Findings run() {
        check_reached();
        if (facts_.error) return std::move(findings_);
        if (facts_.info_error) {
            warn("redis info", *facts_.info_error,
                 "let this user of Redis call INFO: docs/operations.md has the rights it needs");
        } else {
            check_version();
            check_persistence();
            check_memory();
        }
        check_clock();
        check_library();
        return std::move(findings_);
    }

  private:
    void ok(std::string what, std::string found) {
        findings_.push_back(well(std::move(what), std::move(found)));
    }
    void warn(std::string what, std::string found, std::string advice) {
        findings_.push_back(doubtful(std::move(what), std::move(found), std::move(advice)));
    }
    void fail(std::string what, std::string found, std::string advice) {
        findings_.push_back(broken(std::move(what), std::move(found), std::move(advice)));
    }

    [[nodiscard]] std::string said(const std::string& key) const {
        const auto found = facts_.info.find(key);
        return found == facts_.info.end() ? "" : found->second;
    }

    [[nodiscard]] std::int64_t number(const std::string& key) const {
        const auto read = config::parse_int64(said(key));
        return read ? *read : 0;
    }

    void check_reached() {
        if (facts_.error) {
            fail("redis", facts_.url + ": " + *facts_.error,
                 "start it, or mend address, password or network: --redis or EVALFLEET_REDIS");
            return;
        }
        const std::string found =
            fmt::format("{} answers in {} ms", facts_.url, facts_.round_trip.count());
        if (facts_.round_trip <= kFar)
            ok("redis", found);
        else
            warn("redis", found,
                 "every job makes several calls: put coordinator and workers near Redis");
    }

    void check_version() {
        const std::string version = said("redis_version");
        const std::int64_t major = std::strtoll(version.c_str(), nullptr, 10);
        if (major >= kOldestVersion)
            ok("redis version", version);
        else
            fail("redis version", version.empty() ? "not told" : version,
                 "7 or newer is needed: the queue is a library of Redis functions");
    }

    void check_persistence() {
        const std::string append = said("aof_last_write_status");
        if (said("loading") == "1") {
            warn("redis persistence", "it is loading its data", "wait until it has");
        } else if (said("aof_enabled") != "1") {
            warn("redis persistence", "appendonly is off",
                 "appendonly yes, appendfsync everysec: a restart then costs a second of repeated "
                 "calls, not all that are in flight");
        } else if (!append.empty() && append != "ok") {
            fail("redis persistence", "its last write of the log failed: " + append,
                 "look at its disk");
        } else {
            ok("redis persistence", "appendonly is on");
        }
    }

    void check_memory() {
        const std::string policy = said("maxmemory_policy");
        const std::int64_t used = number("used_memory");
        const std::int64_t most = number("maxmemory");
        if (!policy.empty() && policy != "noeviction") {
            fail("redis memory", "maxmemory-policy is " + policy,
                 "noeviction: any other lets Redis drop jobs without a word");
        } else if (most > 0 && used > most / 10 * 7) {
            fail("redis memory", fmt::format("{} of {} bytes are used", used, most),
                 "above 70 % nothing more goes out: raise maxmemory");
        } else {
            ok("redis memory", most > 0 ? fmt::format("{} of {} bytes are used", used, most)
                                        : fmt::format("{} bytes are used, no limit", used));
        }
    }

    void check_clock() {
        if (!facts_.clock_ahead) return;
        const auto ahead = *facts_.clock_ahead;
        const std::string found =
            fmt::format("Redis' clock is {} ms {} ours", std::abs(ahead.count()),
                        ahead.count() < 0 ? "behind" : "ahead of");
        if (std::chrono::abs(ahead) <= kClockTolerance)
            ok("clock", found);
        else
            warn("clock", found,
                 "let both machines follow a time server; leases count in Redis' time, times of "
                 "records in that of workers");
    }

    void check_library() {
        constexpr const char* kLoad =
            "a user who may loads it: evalfleet functions load (docs/operations.md); where users "
            "may, coordinator and workers load it by themselves";
        const std::string needed = "needed: " + redis::describe_library(ours_);
        if (facts_.library_error) {
            warn("function library", *facts_.library_error,
                 "let this user call FUNCTION LIST: docs/operations.md has the rights it needs");
        } else if (!facts_.library) {
            warn("function library", "Redis has none; " + needed, kLoad);
        } else if (*facts_.library == ours_) {
            ok("function library", redis::describe_library(ours_));
        } else {
            check_other_library(needed, kLoad);
        }
    }

    void check_other_library(const std::string& needed, const char* load) {
        const std::string found =
            "Redis has " + redis::describe_library(*facts_.library) + "; " + needed;
        const auto version = redis::library_version(ours_);
        if (redis::library_version(*facts_.library) <= version) {
            warn("function library", found, load);
        } else if (redis::oldest_served(*facts_.library) <= version) {
            ok("function library", found + "; the newer one serves this version");
        } else {
            fail("function library", found,
                 "the newer one does not serve this version: upgrade this program");
        }
    }

    const RedisFacts& facts_;
    const std::string& ours_;
    Findings findings_;
};

}  // namespace

std::map<std::string, std::string> parse_info(std::string_view text) {
    std::map<std::string, std::string> info;
    while (!text.empty()) {
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || line.starts_with('#')) continue;
        info.emplace(line.substr(0, colon), line.substr(colon + 1));
    }
    return info;
}

Findings check_redis(const RedisFacts& facts, const std::string& ours) {
    return Checks(facts, ours).run();
}

}  // namespace evalfleet::doctor
