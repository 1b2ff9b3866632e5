#include "worker/call/program_call.hpp"

#include "common/http/headers.hpp"
#include "worker/providers/wire_text.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

/// A program that ended well without a JSON object: what it printed may say why.
Error no_answer(const ProgramOutput& output) {
    const std::string out = shorten(http::trim(output.out));
    const std::string err = shorten(http::trim(output.err));
    std::string text = "the program printed ";
    text += out.empty() ? "nothing" : "no JSON object but '" + out + "'";
    text += " on its standard output";
    if (!err.empty()) text += ", and on standard error: " + err;
    return {ErrorKind::invalid, std::move(text)};
}

}  // namespace

asio::awaitable<Result<WireResponse>> call_program(async::Clock& clock,
                                                   providers::ProgramConfig program,
                                                   std::string input, async::TimePoint deadline) {
    ProgramLimits limits;
    limits.deadline = deadline;
    auto output = co_await run_program(clock, std::move(program), std::move(input), limits);
    if (!output) co_return output.error();
    const bool is_json = http::trim(output->out).starts_with('{');
    if (output->exit_code == 0 && !is_json) co_return no_answer(*output);
    WireResponse response;
    response.status = output->exit_code == 0 ? 200 : 500;
    response.timings = output->timings;
    if (is_json) {
        response.set_body(std::move(output->out));
    } else {
        response.set_body(fmt::format("exit code {}: {}", output->exit_code, output->err));
    }
    co_return response;
}

}  // namespace evalfleet::worker
