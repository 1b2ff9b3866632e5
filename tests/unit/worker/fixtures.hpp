#pragma once

#include "worker/providers/provider_set.hpp"
#include "worker/trial/run_context.hpp"

#include <string>

namespace evalfleet::worker {

inline constexpr std::string_view kKey = "key-of-the-test-0123456789";

/// One provider `main` with a key and prices.
inline ProviderSet make_providers() {
    const auto configs = providers::read_providers_text(
        R"({"providers": {"main": {"type": "openai", "base_url": "http://model.test:8000/v1",
            "api_key_env": "KEY", "prices": {"input_usd_per_mtok": 2, "output_usd_per_mtok": 10,
            "cache_read_multiplier": 0.5}}}})",
        "providers.json");
    const auto environment = [](const std::string&) { return std::string(kKey); };
    return ProviderSet::blocking_create(configs.value(), environment).value();
}

/// A run's spec with `more` members; a judge among them stands for the usual one.
inline std::string make_spec(const std::string& more = "") {
    const std::string judge =
        more.starts_with("\"judge\"")
            ? ""
            : R"("judge": {"provider": "main", "name": "j", "version": "v2"},)";
    return R"({"version": 1, "name": "n", "dataset": {"path": "d"},
        "model": {"provider": "main", "name": "m", "version": "v1"},
        "prompt": {"id": "p", "version": "1", "system": "Be {{task_type}}.",
                   "template": "{{context}}|{{task}}"},
        )" +
           judge + R"("repeats": 3)" + (more.empty() ? "" : ", " + more) + "}";
}

/// A run together with what it refers to.
struct TestRun {
    explicit TestRun(const std::string& more = "")
        : providers(make_providers()),
          context(
              RunContext::create("r1", make_spec(more), providers, Redactors(providers.secrets()))
                  .value()) {}
    ProviderSet providers;
    RunContext context;
};

}  // namespace evalfleet::worker
