#include "cli/simulator/chat_request.hpp"
#include "common/job/image.hpp"
#include "common/job/sample.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/providers/protocol_table.hpp"
#include "tests/fuzz/check.hpp"
#include "worker/providers/protocols.hpp"

#include <algorithm>
#include <cstdint>

/// Chats of datasets: parts of messages, pictures, calls and results of tools.
namespace {

using namespace evalfleet;
using fuzz::check;

std::string written(const job::Sample& sample) {
    std::string text;
    json::Writer writer(text);
    write(writer, sample);
    return text;
}

void check_image(const job::Image& image) {
    check(image.base64.empty() != image.path.empty(), "a picture is its bytes or a file's name");
    if (image.base64.empty()) return;  // where the path leads is asked by who opens it
    const auto bytes = job::from_base64(image.base64);
    check(bytes.has_value(), "a picture that was read is base64");
    check(bytes->size() <= job::kMaxImageBytes, "a picture has a bound");
    check(job::sniff_image(*bytes) == image.media_type, "its type is that of its bytes");
}

void check_chat(const job::Sample& sample) {
    const auto document = json::Document::parse(written(sample));
    check(document.has_value(), "a sample is written as JSON");
    const auto again = job::read_sample(document->root(), 1);
    check(again.has_value() && *again == sample, "a sample reads back as the same");
    for (const job::Message& message : sample.messages)
        for (const job::ContentPart& part : message.parts)
            if (part.image) check_image(*part.image);
}

/// What every protocol that takes such a chat would send.
void check_requests(const job::Sample& sample) {
    if (sample.messages.empty() || job::has_image_files(sample)) return;
    for (const providers::ProtocolTraits& traits : providers::kProtocols) {
        if (job::has_images(sample) && !traits.has_images) continue;
        worker::ModelRequest request;
        request.model = "m";
        request.messages = sample.messages;
        const worker::Endpoint endpoint{http::Url::parse("https://127.0.0.1").value(), {}};
        const auto wire = worker::find_protocol(traits.type).make_request(endpoint, request);
        check(json::Document::parse(wire.http.body).has_value(), "a request's body is JSON");
    }
}

/// The same text as the body of a request to the simulator.
void check_simulator(json::Value body) {
    simulator::ChatRequest request;
    const Status read = simulator::read_messages(body, request, simulator::kTwoSides);
    check(read || !read.error().message.empty(), "what cannot be read has a reason");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto document = json::Document::parse(text);
    if (!document) return 0;
    check_simulator(document->root());
    auto sample = job::read_sample(document->root(), 1);
    if (!sample) {
        check(!sample.error().message.empty(), "what cannot be read has a reason");
        return 0;
    }
    check_chat(*sample);
    check_requests(*sample);
    const std::size_t turns = sample->messages.size();
    if (job::ends_in_assistant(*sample) && job::take_reference(*sample)) {
        check(sample->messages.size() + 1 == turns, "the last turn became the reference");
        check(sample->reference_answer.has_value(), "and nothing but it");
    }
    return 0;
}
