#pragma once

#include "common/files/file.hpp"
#include "common/result/result.hpp"
#include "coordinator/store/process_identity.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace evalfleet::store {

/// Who leads a store, as it stands in the lock file.
struct LeaderCard {
    std::uint64_t epoch = 0;  ///< one more than the leader before
    std::string address;      ///< where it listens, for people
    ProcessIdentity process;
    bool operator==(const LeaderCard&) const = default;
};

[[nodiscard]] std::string to_json(const LeaderCard& card);
[[nodiscard]] Result<LeaderCard> parse_leader_card(std::string_view json);

/// Lets one coordinator at a time write a store: `<store>/lock`, locked for as long as the process
/// lives, whatever ends it. Its content says who leads; the time of its last change is the leader's
/// heartbeat. docs/design/leadership.md says why.
///
/// Everything blocks; use it from one thread at a time.
class StoreLock {
  public:
    /// Takes the lock if it is free and writes the card of the new leader. None if another process
    /// leads.
    ///
    /// On a volume that machines share a lock may hold on one of them only. There it is not enough
    /// to have it if another machine led last: for `watch` that one must give no sign of life, and
    /// then nobody else may write a card for as long. `denied` if somebody does: locks mean nothing
    /// here, and two must not lead.
    [[nodiscard]] static Result<std::optional<StoreLock>> blocking_try_take(
        const std::filesystem::path& store, std::string address, std::chrono::milliseconds watch);
    /// The same, with a watch where the volume may be shared.
    [[nodiscard]] static Result<std::optional<StoreLock>> blocking_try_take(
        const std::filesystem::path& store, std::string address);

    /// What a standby sees of the leader.
    struct Sighting {
        std::optional<LeaderCard> card;  ///< none: there is none that can be read
        std::int64_t beat = 0;           ///< changes with every heartbeat; says nothing else
    };
    [[nodiscard]] static Result<Sighting> blocking_look(const std::filesystem::path& store);

    /// A heartbeat. `lease_lost` if the lock file is not ours any more: it was removed or replaced,
    /// or another leader wrote its card; then nothing may be written any more.
    [[nodiscard]] Status blocking_beat();

    [[nodiscard]] const LeaderCard& card() const noexcept { return card_; }

  private:
    [[nodiscard]] Status blocking_write_card();
    [[nodiscard]] Status blocking_require_silence(const std::filesystem::path& store,
                                                  std::chrono::milliseconds watch) const;
    [[nodiscard]] bool blocking_is_in_place() const;

    files::File file_;
    LeaderCard card_;
};

}  // namespace evalfleet::store
