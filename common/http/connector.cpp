#include "common/http/connector.hpp"

#include "common/http/input_buffer.hpp"
#include "common/http/message_parser.hpp"
#include "common/http/percent.hpp"
#include "common/http/phase.hpp"
#include "common/http/request_head.hpp"
#include "common/http/socks.hpp"

#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kMaxProxyHeaderBytes = 16 * 1024;

Status judge_tunnel(const MessageHead& head) {
    if (head.status / 100 == 2) return {};
    const ErrorKind kind =
        head.status == 407 || head.status == 403 ? ErrorKind::denied : ErrorKind::transient;
    return Error{kind, "proxy refused the tunnel with status " + std::to_string(head.status)};
}

socks::Credentials credentials_of(const Url& proxy) {
    const auto colon = proxy.userinfo.find(':');
    const std::string user = proxy.userinfo.substr(0, colon);
    const std::string password = colon == std::string::npos ? "" : proxy.userinfo.substr(colon + 1);
    return {percent_decode(user).value_or(user), percent_decode(password).value_or(password)};
}

asio::awaitable<Result<std::string>> read_exactly(Stream& stream, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < size) {
        const auto arrival = co_await stream.read_some(bytes.data() + have, size - have);
        if (!arrival) co_return arrival.error();
        if (arrival->bytes == 0)
            co_return Error{ErrorKind::transient, "proxy closed the connection"};
        have += arrival->bytes;
    }
    co_return bytes;
}

/// Says what we can do, and logs in if the proxy wants it.
asio::awaitable<Status> greet(Stream& stream, const Url& proxy) {
    const socks::Credentials credentials = credentials_of(proxy);
    if (const Status good = socks::check(credentials); !good) co_return good;
    const std::string greeting = socks::greeting(!proxy.userinfo.empty());
    if (const Status sent = co_await stream.write(greeting); !sent) co_return sent;
    const auto choice = co_await read_exactly(stream, socks::kChoiceBytes);
    if (!choice) co_return choice.error();
    const auto wants_login = socks::read_choice(*choice);
    if (!wants_login) co_return wants_login.error();
    if (!*wants_login) co_return Status{};
    const std::string login = socks::login(credentials);
    if (const Status sent = co_await stream.write(login); !sent) co_return sent;
    const auto answer = co_await read_exactly(stream, socks::kChoiceBytes);
    if (!answer) co_return answer.error();
    co_return socks::read_login(*answer);
}

asio::awaitable<Status> ask_for(Stream& stream, std::string host, std::uint16_t port) {
    const auto request = socks::request(host, port);
    if (!request) co_return request.error();
    if (const Status sent = co_await stream.write(*request); !sent) co_return sent;
    const auto head = co_await read_exactly(stream, socks::kReplyHeadBytes);
    if (!head) co_return head.error();
    const auto rest = socks::read_reply(*head);
    if (!rest) co_return rest.error();
    const auto bound = co_await read_exactly(stream, *rest);
    if (!bound) co_return bound.error();
    co_return Status{};
}

}  // namespace

Connector::Connector(const asio::any_io_executor& executor, async::Clock& clock, Resolver& resolver,
                     asio::ssl::context& proxy_tls, std::string user_agent)
    : resolver_(resolver),
      dialer_(executor, clock, resolver),
      proxy_tls_(proxy_tls),
      user_agent_(std::move(user_agent)) {}

asio::awaitable<Result<Stream>> Connector::connect(const Url& url, const Proxy* proxy,
                                                   asio::ssl::context& tls, TlsSession resume,
                                                   std::string_view& phase) {
    auto stream = co_await dialer_.dial(proxy != nullptr ? proxy->url : url, phase);
    if (!stream) co_return stream.error();
    if (proxy != nullptr) {
        const Status through = co_await go_through(*stream, url, *proxy, phase);
        if (!through) co_return through.error().within("proxy");
    }
    if (url.scheme == Scheme::http) co_return stream;
    phase = kTlsPhase;
    const Status secured = co_await stream->handshake_as_client(tls, url.host, std::move(resume));
    if (!secured) co_return secured.error();
    co_return stream;
}

asio::awaitable<Status> Connector::go_through(Stream& stream, const Url& url, const Proxy& proxy,
                                              std::string_view& phase) {
    phase = kProxyPhase;
    if (!proxy.forwards()) co_return co_await open_socks(stream, url, proxy);
    if (proxy.kind == Proxy::Kind::https) {
        const Status secured =
            co_await stream.handshake_as_client(proxy_tls_, proxy.url.host, nullptr);
        if (!secured) co_return secured;
    }
    // Requests for http URLs are read by the proxy itself.
    if (url.scheme == Scheme::http) co_return Status{};
    co_return co_await open_tunnel(stream, url, proxy.url);
}

asio::awaitable<Status> Connector::open_socks(Stream& stream, const Url& url, const Proxy& proxy) {
    std::string host = url.host;
    if (proxy.kind == Proxy::Kind::socks5) {
        const auto addresses = co_await resolver_.resolve(url.host);
        if (!addresses) co_return addresses.error();
        host = addresses->front().to_string();
    }
    if (const Status greeted = co_await greet(stream, proxy.url); !greeted) co_return greeted;
    co_return co_await ask_for(stream, std::move(host), url.port);
}

asio::awaitable<Status> Connector::open_tunnel(Stream& stream, const Url& url, const Url& proxy) {
    const std::string request = format_connect(url, proxy, user_agent_);
    if (const Status sent = co_await stream.write(request); !sent) co_return sent;
    MessageParser parser(MessageKind::response, kMaxProxyHeaderBytes);
    parser.expect_no_body();
    InputBuffer input(kMaxProxyHeaderBytes);
    while (!parser.is_done()) {
        const auto space = input.prepare();
        const auto arrival = co_await stream.read_some(space.data, space.size);
        if (!arrival) co_return arrival.error();
        if (arrival->bytes == 0)
            co_return Error{ErrorKind::transient, "proxy closed the connection"};
        input.commit(arrival->bytes);
        const auto used = parser.feed(input.data());
        if (!used) co_return used.error();
        input.consume(*used);
    }
    if (!input.empty()) co_return Error{ErrorKind::invalid, "proxy sent more than its answer"};
    co_return judge_tunnel(parser.head());
}

}  // namespace evalfleet::http
