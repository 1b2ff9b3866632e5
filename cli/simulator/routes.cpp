#include "cli/simulator/routes.hpp"

#include "cli/simulator/protocols/anthropic.hpp"
#include "cli/simulator/protocols/azure_openai.hpp"
#include "cli/simulator/protocols/bedrock.hpp"
#include "cli/simulator/protocols/completions.hpp"
#include "cli/simulator/protocols/gemini.hpp"
#include "cli/simulator/protocols/ollama.hpp"
#include "cli/simulator/protocols/openai.hpp"
#include "cli/simulator/protocols/responses.hpp"
#include "cli/simulator/protocols/vertex.hpp"

#include <array>
#include <string>
#include <utility>

namespace evalfleet::simulator {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kMaxBodyBytes = 64 * 1024 * 1024;

struct ChatRoute {
    const char* path;
    const Protocol& protocol;
};

using MakeList = std::string (*)(const http::RequestContext&);

struct ListRoute {
    const char* path;
    MakeList make;
};

/// OpenAI and Anthropic have their lists at the same place; only one of them sends a version.
std::string list_models(const http::RequestContext& request) {
    const bool is_anthropic = request.headers.contains("anthropic-version");
    return is_anthropic ? Anthropic::write_models() : OpenAi::write_models();
}

asio::awaitable<http::Reply> send_list(std::string body) {
    co_return http::Reply::json(std::move(body));
}

}  // namespace

http::Router make_routes(const AnswerChat& answer) {
    static const OpenAi openai;
    static const AzureOpenAi azure;
    static const Anthropic anthropic;
    static const Gemini gemini;
    static const Ollama ollama;
    static const OpenAiResponses responses;
    static const OpenAiCompletions completions;
    static const Bedrock converse(false);
    static const Bedrock converse_stream(true);
    static const VertexGemini vertex_gemini;
    static const VertexAnthropic vertex_anthropic;
    static const std::array<ChatRoute, 13> kChats{
        {{"/v1/chat/completions", openai},
         {"/openai/v1/chat/completions", azure},
         {"/openai/deployments/{deployment}/chat/completions", azure},
         {"/v1/messages", anthropic},
         {"/v1beta/models/{call}", gemini},
         {"/api/chat", ollama},
         {"/v1/responses", responses},
         {"/openai/v1/responses", responses},
         {"/v1/completions", completions},
         {"/model/{model}/converse", converse},
         {"/model/{model}/converse-stream", converse_stream},
         {"/v1/projects/{project}/locations/{location}/publishers/google/models/{call}",
          vertex_gemini},
         {"/v1/projects/{project}/locations/{location}/publishers/anthropic/models/{call}",
          vertex_anthropic}}};
    static constexpr std::array<ListRoute, 6> kLists{
        {{"/v1/models", list_models},
         {"/v1/models/{id}",
          [](const http::RequestContext& request) {
              return OpenAi::write_model(request.parameter("id"));
          }},
         {"/openai/v1/models", [](const http::RequestContext&) { return OpenAi::write_models(); }},
         {"/v1beta/models", [](const http::RequestContext&) { return Gemini::write_models(); }},
         {"/api/tags", [](const http::RequestContext&) { return Ollama::write_tags(); }},
         {"/api/version", [](const http::RequestContext&) { return Ollama::write_version(); }}}};

    http::Router router;
    for (const ChatRoute& route : kChats) {
        router.add("POST", route.path,
                   [answer, &protocol = route.protocol](http::RequestContext& request) {
                       return answer(protocol, request);
                   },
                   {.max_body_bytes = kMaxBodyBytes});
    }
    for (const ListRoute& route : kLists) {
        router.add("GET", route.path, [make = route.make](http::RequestContext& request) {
            return send_list(make(request));
        });
    }
    return router;
}

}  // namespace evalfleet::simulator
