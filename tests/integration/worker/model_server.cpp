#include "tests/integration/worker/model_server.hpp"

#include "common/json/document.hpp"
#include "common/json/writer.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

/// Begins a body and breaks off.
class CutBody final : public http::BodyProducer {
  public:
    asio::awaitable<Status> produce(http::BodyWriter& writer) override {
        static_cast<void>(co_await writer.write("{\"choices\": "));
        co_return Error{ErrorKind::transient, "cut"};
    }
};

http::Router route(std::function<asio::awaitable<http::Reply>(http::RequestContext&)> handler) {
    http::Router router;
    router.add("POST", "/v1/chat/completions", std::move(handler),
               {.max_body_bytes = 16 * 1024 * 1024});
    return router;
}

}  // namespace

std::string completion(const std::string& text, const std::string& more) {
    std::string body;
    json::Writer writer(body);
    writer.begin_object().member("id", "chatcmpl-7").member("model", "served-model-1");
    writer.key("choices").begin_array().begin_object();
    writer.member("index", 0).member("finish_reason", "stop");
    writer.key("message").begin_object();
    writer.member("role", "assistant").member("content", text);
    writer.end_object().end_object().end_array().end_object();
    body.pop_back();
    return body + (more.empty() ? "" : ", " + more) + "}";
}

std::string verdict(int accuracy, int faithfulness) {
    return "{\"accuracy_score\": " + std::to_string(accuracy) +
           ", \"faithfulness_score\": " + std::to_string(faithfulness) +
           ", \"rationale\": \"as told\"}";
}

ModelServer::ModelServer(Script script)
    : script_(std::move(script)),
      server_(context_.get_executor(), clock_, {},
              route([this](http::RequestContext& request) { return answer(request); })) {
    if (const Status bound = server_.listen(); !bound) {
        throw std::runtime_error(bound.error().message);
    }
    asio::co_spawn(context_, server_.run(),
                   asio::bind_cancellation_slot(stop_.slot(), [](const std::exception_ptr&) {}));
    thread_ = std::thread([this] { context_.run(); });
}

ModelServer::~ModelServer() {
    held_.close();
    asio::post(context_, [this] { stop_.emit(asio::cancellation_type::terminal); });
    thread_.join();
}

std::string ModelServer::base_url() const {
    return "http://127.0.0.1:" + std::to_string(server_.port()) + "/v1";
}

asio::awaitable<http::Reply> ModelServer::answer(http::RequestContext& request) {
    const auto body = co_await request.body->read_all();
    if (!body) co_return http::Reply::empty(400);
    const SeenCall call = note(*body, request.headers);
    Action action = script_(call);
    if (action.held) co_await held_.pop();
    if (action.delay.count() > 0) co_await clock_.wait_for(action.delay);
    if (action.cut) {
        co_return http::Reply::stream("application/json", std::make_unique<CutBody>());
    }
    http::Reply reply = http::Reply::json(std::move(action.body), action.status);
    for (const auto& [name, value] : action.headers)
        reply.headers.set(name, value);
    co_return reply;
}

SeenCall ModelServer::note(const std::string& body, const http::Headers& headers) {
    const auto document = json::Document::parse(body).value();
    const auto messages = document.root().get<std::vector<json::Value>>("messages").value();
    SeenCall call;
    call.model = document.root().get<std::string>("model").value();
    call.prompt = messages.back().get<std::string>("content").value();
    const std::string authorization(headers.find("authorization").value_or("Bearer "));
    call.api_key = authorization.substr(std::string_view("Bearer ").size());
    const std::lock_guard lock(mutex_);
    call.number = 1 + static_cast<std::size_t>(std::count_if(
                          calls_.begin(), calls_.end(),
                          [&](const SeenCall& seen) { return seen.model == call.model; }));
    calls_.push_back(call);
    changed_.notify_all();
    return call;
}

bool ModelServer::blocking_await_calls(const std::string& model, std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] {
        const auto seen = std::count_if(calls_.begin(), calls_.end(),
                                        [&](const SeenCall& call) { return call.model == model; });
        return static_cast<std::size_t>(seen) >= count;
    });
}

std::size_t ModelServer::count_calls(const std::string& model) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(
        calls_.begin(), calls_.end(), [&](const SeenCall& call) { return call.model == model; }));
}

std::vector<SeenCall> ModelServer::calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
}

}  // namespace evalfleet::worker
