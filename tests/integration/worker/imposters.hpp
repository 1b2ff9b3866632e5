#pragma once

#include "common/files/atomic_file.hpp"
#include "tests/integration/worker/fleet.hpp"
#include "tests/support/http_imposter.hpp"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

/// A fleet whose worker calls an imposter, which plays a provider of any type byte by byte.
namespace evalfleet::worker {

inline std::string response(const std::string& status_line, const std::string& body,
                            const std::string& headers = "Content-Type: application/json\r\n") {
    return "HTTP/1.1 " + status_line + "\r\n" + headers +
           "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
}

inline std::string chunked(const std::string& type, const std::vector<std::string>& pieces) {
    std::string out = "HTTP/1.1 200 OK\r\nContent-Type: " + type +
                      "\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const std::string& piece : pieces) {
        char size[32];
        std::snprintf(size, sizeof(size), "%zx\r\n", piece.size());
        out += size + piece + "\r\n";
    }
    return out + "0\r\n\r\n";
}

inline testing::Script answer_with(std::string bytes) {
    return testing::Script().read_request().send(std::move(bytes));
}

/// Sends the worker's calls to the imposter instead of the fleet's own model.
inline void redirect(Fleet& fleet, const std::string& type, const std::string& url, bool stream) {
    files::blocking_write_atomically(
        fleet.folder() / "providers.json",
        R"({"providers": {"main": {"type": ")" + type + R"(", "base_url": ")" + url +
            R"(", "api_key_env": "TEST_KEY", "stream": )" + (stream ? "true" : "false") +
            R"(, "prices": {"input_usd_per_mtok": 2, "output_usd_per_mtok": 10}}}})")
        .value();
}

inline job::TrialRecord run_one(Fleet& fleet) {
    const auto worker = fleet.start_worker();
    fleet.enqueue(0, R"({"id": "q1", "task": "Capital?"})");
    return fleet.blocking_next_record();
}

/// For fleets that call imposters only.
inline Action never_called(const SeenCall&) {
    return {};
}

}  // namespace evalfleet::worker
