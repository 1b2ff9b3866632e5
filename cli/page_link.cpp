#include "cli/page_link.hpp"

#include "cli/remote/api.hpp"
#include "common/http/url.hpp"

#include <cstdio>

namespace evalfleet::cli {

std::string run_link(const std::string& coordinator_url, const std::string& run_id) {
    const auto url = http::Url::parse(coordinator_url);
    // Without a password that may stand in it.
    std::string base = url ? url->redacted() : coordinator_url;
    while (base.ends_with('/'))
        base.pop_back();
    return base + "/runs/" + remote::encode(run_id);
}

void print_run_link(const std::string& coordinator_url, const std::string& run_id) {
    std::fprintf(stderr, "in a browser: %s\n", run_link(coordinator_url, run_id).c_str());
}

}  // namespace evalfleet::cli
