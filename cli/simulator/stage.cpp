#include "cli/simulator/stage.hpp"

#include <utility>

namespace evalfleet::simulator {

Stage::Stage(const SimulatorConfig& config, ReferenceBook book, ApiKeys keys,
             std::unique_ptr<RequestLog> log)
    : config_(config),
      player_(config_, std::move(book)),
      quotas_(config_.quota),
      slots_(config_.slots),
      outages_(config_.outages),
      keys_(std::move(keys)),
      log_(std::move(log)) {}

Result<std::unique_ptr<Stage>> Stage::blocking_open(const SimulatorConfig& config,
                                                    const ServiceConfig& service) {
    ReferenceBook book;
    if (config.dataset) {
        auto read = ReferenceBook::blocking_read(*config.dataset);
        if (!read) return read.error();
        book = std::move(*read);
    }
    ApiKeys keys;
    if (service.api_keys) {
        auto read = ApiKeys::blocking_read(*service.api_keys);
        if (!read) return read.error();
        keys = std::move(*read);
    }
    std::unique_ptr<RequestLog> log;
    if (service.log) {
        auto created = RequestLog::blocking_create(*service.log);
        if (!created) return created.error();
        log = std::move(*created);
    }
    return std::unique_ptr<Stage>(
        new Stage(config, std::move(book), std::move(keys), std::move(log)));
}

}  // namespace evalfleet::simulator
