#include "tests/support/coordinator_process.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/sha256.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <stdexcept>

namespace evalfleet::testing {

namespace fs = std::filesystem;

namespace {

constexpr const char* kProviders =
    "providers:\n"
    "  main: {type: openai, base_url: \"http://127.0.0.1:9/v1\", api_key_env: MAIN_KEY,\n"
    "         api_key_id: main-label,\n"
    "         prices: {input_usd_per_mtok: 1, output_usd_per_mtok: 2}}\n"
    "  other: {type: openai, base_url: \"http://127.0.0.1:9/v1\"}\n";

int connect_to(std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const timeval patience{60, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
        return socket;
    ::close(socket);
    return -1;
}

void send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

std::string read_all(int socket) {
    std::string text;
    std::array<char, 65536> buffer{};
    for (;;) {
        const auto count = ::recv(socket, buffer.data(), buffer.size(), 0);
        if (count <= 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

std::string without_chunks(std::string_view body) {
    std::string text;
    for (;;) {
        const auto line = body.find("\r\n");
        if (line == std::string_view::npos) return text;
        const std::size_t size = std::stoul(std::string(body.substr(0, line)), nullptr, 16);
        if (size == 0) return text;
        text += body.substr(line + 2, size);
        body.remove_prefix(std::min(body.size(), line + 2 + size + 2));
    }
}

}  // namespace

std::string Answer::header(std::string_view name) const {
    const std::string mark = "\r\n" + std::string(name) + ": ";
    const auto at = head.find(mark);
    if (at == std::string::npos) return "";
    const auto begin = at + mark.size();
    return head.substr(begin, head.find("\r\n", begin) - begin);
}

CoordinatorProcess::CoordinatorProcess(std::vector<std::string> arguments, bool has_tokens)
    : arguments_(std::move(arguments)), has_tokens_(has_tokens) {
    fs::create_directories(data());
    files::blocking_write_atomically(folder_ / "providers.yaml", kProviders).value();
    if (has_tokens_) write_tokens({"reader", "submitter", "admin"});
    start();
}

void CoordinatorProcess::write_tokens(const std::vector<std::string>& roles) const {
    std::string text = "tokens:\n";
    for (const std::string& role : roles) {
        job::Sha256 hash;
        hash.add(role);
        text += "  - {name: the-" + role + ", role: " + role + ", sha256: " + hash.hex() + "}\n";
    }
    files::blocking_write_atomically(folder_ / "tokens.yaml", text).value();
}

void CoordinatorProcess::start() {
    const fs::path port_file = folder_ / "port";
    fs::remove(port_file);
    std::vector<std::string> argv{EVALFLEET_BIN_DIR "/evalfleet-coordinator",
                                  "--redis",
                                  redis_.url(),
                                  "--store",
                                  store().string(),
                                  "--listen",
                                  "127.0.0.1:0",
                                  "--port-file",
                                  port_file.string(),
                                  "--providers",
                                  (folder_ / "providers.yaml").string(),
                                  "--dataset-root",
                                  data().string(),
                                  "--log-format",
                                  "json"};
    if (has_tokens_) {
        argv.emplace_back("--tokens-file");
        argv.push_back((folder_ / "tokens.yaml").string());
    }
    argv.insert(argv.end(), arguments_.begin(), arguments_.end());
    process_.reset();
    process_.emplace(argv, folder_ / "coordinator.log");
    for (int i = 0; i < 1200; ++i) {
        std::ifstream file(port_file);
        if (file >> port_ && call("GET", "/readyz").status == 200) return;
        ::usleep(50'000);
    }
    throw std::runtime_error("the coordinator did not come up: " + log());
}

void CoordinatorProcess::kill_and_restart() {
    process_->kill();
    start();
}

Answer CoordinatorProcess::call(const std::string& method, const std::string& path,
                                const std::string& body, const Fields& headers) const {
    return ask(port_, method, path, body, headers);
}

Answer ask(std::uint16_t port, const std::string& method, const std::string& path,
           const std::string& body, const HeaderFields& headers) {
    const int socket = connect_to(port);
    if (socket < 0) return {};
    std::string request = method + " " + path +
                          " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                          "\r\nConnection: close\r\n";
    for (const auto& [name, value] : headers)
        request += name + ": " + value + "\r\n";
    if (!body.empty() || method != "GET")
        request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    send_all(socket, request + "\r\n" + body);
    const std::string text = read_all(socket);
    ::close(socket);
    Answer answer;
    const auto end = text.find("\r\n\r\n");
    if (end == std::string::npos || text.size() < 12) return answer;
    answer.status = std::stoi(text.substr(9, 3));
    answer.head = text.substr(0, end + 2);
    answer.body = text.substr(end + 4);
    if (answer.header("Transfer-Encoding") == "chunked") answer.body = without_chunks(answer.body);
    return answer;
}

std::string CoordinatorProcess::run_file(const std::string& name, const std::string& more) {
    return "version: 1\nname: " + name +
           "\ndataset: {id: qa}\n"
           "model: {provider: main, name: m, version: \"1\"}\n"
           "judge: {provider: main, name: j, version: \"1\"}\n" +
           more;
}

void CoordinatorProcess::put_dataset(const Fields& headers) const {
    const auto put =
        call("PUT", "/api/v1/datasets/qa", "{\"task\":\"one\"}\n{\"task\":\"two\"}\n", headers);
    if (put.status != 201) throw std::runtime_error("not uploaded: " + put.body);
}

}  // namespace evalfleet::testing
