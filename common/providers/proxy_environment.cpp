#include "common/providers/proxy_environment.hpp"

namespace evalfleet::providers {

http::ProxyConfig read_proxy(const config::Environment& environment) {
    const auto first_of = [&](const char* small, const char* capital) {
        if (auto value = environment(small)) return *value;
        return environment(capital).value_or("");
    };
    http::ProxyConfig proxy{first_of("http_proxy", "HTTP_PROXY"),
                            first_of("https_proxy", "HTTPS_PROXY"),
                            first_of("no_proxy", "NO_PROXY")};
    const std::string all = first_of("all_proxy", "ALL_PROXY");
    if (proxy.http_proxy.empty()) {
        proxy.http_proxy = all;
        proxy.http_name = "ALL_PROXY";
    }
    if (proxy.https_proxy.empty()) {
        proxy.https_proxy = all;
        proxy.https_name = "ALL_PROXY";
    }
    return proxy;
}

}  // namespace evalfleet::providers
