#include "common/config/log_options.hpp"

namespace evalfleet::config {

void LogOptions::add_to(Command& command) {
    std::vector<std::pair<std::string, log::Level>> levels;
    for (std::size_t i = 0; i < log::kLevelNames.size(); ++i) {
        levels.emplace_back(log::kLevelNames[i], static_cast<log::Level>(i));
    }
    command.choice("log-level", level, std::move(levels), "Least level that is logged")
        .value_name("LEVEL")
        .group("Logging");
    command
        .choice<log::Format>("log-format", format,
                             {{"text", log::Format::text}, {"json", log::Format::json}},
                             "Layout of log lines; by default text on a terminal, else json")
        .value_name("FORMAT")
        .group("Logging");
}

}  // namespace evalfleet::config
