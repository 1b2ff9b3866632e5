#pragma once

#include "common/async/clock.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace evalfleet::access {

/// The sessions of people who signed in with a browser. A browser keeps a random id in a cookie
/// that no script can read; here stands its hash, and the hash of the token that it stands for: a
/// token that is taken away takes its sessions with it.
///
/// Only so many are kept; the oldest goes first. They live in memory: a restart signs everybody
/// out. Pure.
class SessionBook {
  public:
    struct Config {
        std::chrono::seconds lifetime = std::chrono::hours(12);
        std::size_t max_sessions = 10'000;
    };

    struct Session {
        std::string token_sha256;  ///< hex
        std::string csrf;          ///< what a page must show to change something
        async::TimePoint expires{};
    };

    explicit SessionBook(Config config) : config_(config) {}

    /// `id` and `csrf` are random, of at least 128 bits each.
    void open(std::string_view id, std::string csrf, std::string token_sha256,
              async::TimePoint now);

    /// Null: there is none, or it has expired. Good until the next call.
    [[nodiscard]] const Session* find(std::string_view id, async::TimePoint now);

    void close(std::string_view id);

    [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
    [[nodiscard]] const Config& config() const noexcept { return config_; }

  private:
    struct Entry {
        std::string id_sha256;
        Session session;
    };

    void drop_oldest();

    Config config_;
    std::list<Entry> entries_;  // the oldest in front
    std::unordered_map<std::string_view, std::list<Entry>::iterator> places_;
};

}  // namespace evalfleet::access
