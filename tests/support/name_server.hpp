#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace evalfleet::testing {

/// What a name server answers to the questions for addresses of one name.
struct NameRecord {
    std::vector<std::string> v4{};
    std::vector<std::string> v6{};
    std::uint32_t ttl = 0;
    /// With a ttl: the name is an alias, and its target has the addresses.
    std::uint32_t alias_ttl = 0;
    enum class Mood { answers, is_silent, fails } mood = Mood::answers;
};

/// A name server on a UDP port of the loopback that knows one record, whatever name it is asked for
/// ("nowhere.test" does not exist). Blocking, on a thread of its own, and sharing no code with what
/// it tests.
class NameServer {
  public:
    explicit NameServer(NameRecord record);
    NameServer(const NameServer&) = delete;
    NameServer& operator=(const NameServer&) = delete;
    ~NameServer();

    /// "127.0.0.1:port".
    [[nodiscard]] std::string place() const;

    void set(NameRecord record);

    /// Questions for IPv4 addresses.
    [[nodiscard]] std::size_t count_questions() const;
    void blocking_await_questions(std::size_t count);

  private:
    void serve();
    [[nodiscard]] std::string answer(const std::string& question);

    int socket_ = -1;
    std::uint16_t port_ = 0;
    mutable std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    NameRecord record_;
    std::size_t questions_ = 0;
    bool is_closing_ = false;
    std::thread thread_;
};

}  // namespace evalfleet::testing
