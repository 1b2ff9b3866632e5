#pragma once

#include "cli/simulator/config.hpp"
#include "cli/simulator/simulator.hpp"
#include "cli/simulator/stage.hpp"
#include "common/async/clock.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <list>

namespace evalfleet::simulator {

/// Further threads of a simulator, each with a simulator of its own on the same port. The kernel
/// spreads the connections over them.
class Lanes {
  public:
    /// Both must outlive it.
    Lanes(async::Clock& clock, Stage& stage);
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;
    ~Lanes();  ///< stops

    /// `service.port` must be one that is shared already.
    [[nodiscard]] Status start(const ServiceConfig& service, std::size_t count);

    /// Ends every connection and awaits the threads.
    void blocking_stop();

  private:
    struct Lane;

    async::Clock& clock_;
    Stage& stage_;
    std::list<Lane> lanes_;
};

}  // namespace evalfleet::simulator
