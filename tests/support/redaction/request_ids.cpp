#include "tests/support/redaction/draw.hpp"
#include "tests/support/redaction/planted.hpp"

#include <fmt/format.h>

#include <iterator>

namespace evalfleet::testing {
namespace {

std::string uuid(Draw& draw) {
    return fmt::format("{}-{}-4{}-{}{}-{}", draw.hex(8), draw.hex(4), draw.hex(3),
                       draw.of("89ab", 1), draw.hex(3), draw.hex(12));
}

/// Crockford's base32, behind a time as ULIDs and UUIDs of version 7 have it.
std::string ulid(Draw& draw) {
    return "01j" + draw.of("0123456789abcdefghjkmnpqrstvwxyz", 23);
}

using Make = std::string (*)(Draw&);

// As the services write them in headers and bodies.
constexpr Make kIds[] = {
    [](Draw& d) { return "req_" + d.hex(32); },         // OpenAI, header
    [](Draw& d) { return "chatcmpl-" + d.key(29); },    // OpenAI, body
    [](Draw& d) { return "resp_" + d.hex(50); },        // OpenAI, responses
    [](Draw& d) { return "cmpl-" + d.key(29); },        // OpenAI, completions
    [](Draw& d) { return "req_011" + d.key(21); },      // Anthropic, header
    [](Draw& d) { return "msg_01" + d.key(22); },       // Anthropic, body
    [](Draw& d) { return "msg_bdrk_01" + d.key(22); },  // Anthropic on Bedrock
    [](Draw& d) { return "msg_vrtx_01" + d.key(22); },  // Anthropic on Vertex
    [](Draw& d) { return uuid(d); },                    // Azure, Bedrock, xAI
    [](Draw& d) { return d.base64(22); },               // Gemini
    [](Draw& d) { return d.hex(32); },                  // Mistral, Cohere
    [](Draw& d) { return "cmpl-" + d.hex(32); },        // Mistral, vLLM
    [](Draw& d) { return "req_" + ulid(d); },           // Groq, header
    [](Draw& d) { return "chatcmpl-" + uuid(d); },      // Groq, Cerebras
    [](Draw& d) { return "chatcmpl-" + d.hex(32); },    // vLLM
    [](Draw& d) { return fmt::format("gen-17{}-{}", d.digits(8), d.key(20)); },  // OpenRouter
    [](Draw& d) { return d.hex(16) + "-FRA"; },                                  // Cloudflare
    [](Draw& d) { return "nx" + d.key(5) + "-4msn4K-" + d.hex(16); },            // Together
    [](Draw& d) { return "chat-" + d.hex(32); },                                 // NVIDIA
    [](Draw& d) { return "Root=1-" + d.hex(8) + "-" + d.hex(24); },       // AWS load balancers
    [](Draw& d) { return "021" + d.digits(13) + d.hex(32); },             // Volcengine
    [](Draw& d) { return "202" + d.digits(14) + d.hex(16); },             // Zhipu
    [](Draw& d) { return "chatcmpl-" + d.digits(3); },                    // Ollama
    [](Draw& d) { return ulid(d); },                                      // TGI, gateways
    [](Draw& d) { return fmt::format("{}-{}", d.hex(8), d.digits(4)); },  // proxies
};

}  // namespace

std::vector<std::string> innocent_request_ids() {
    constexpr std::size_t kCount = 2000;
    Draw draw(22);
    std::vector<std::string> ids;
    while (ids.size() < kCount)
        ids.push_back(kIds[ids.size() % std::size(kIds)](draw));
    return ids;
}

}  // namespace evalfleet::testing
