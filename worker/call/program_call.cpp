#include "worker/call/program_call.hpp"

#include "common/http/headers.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

asio::awaitable<Result<WireResponse>> call_program(async::Clock& clock,
                                                   providers::ProgramConfig program,
                                                   std::string input, async::TimePoint deadline) {
    ProgramLimits limits;
    limits.deadline = deadline;
    auto output = co_await run_program(clock, std::move(program), std::move(input), limits);
    if (!output) co_return output.error();
    WireResponse response;
    response.status = output->exit_code == 0 ? 200 : 500;
    response.timings = output->timings;
    const bool is_json = http::trim(output->out).starts_with('{');
    if (output->exit_code == 0 || is_json) {
        response.set_body(std::move(output->out));
    } else {
        response.set_body(fmt::format("exit code {}: {}", output->exit_code, output->err));
    }
    co_return response;
}

}  // namespace evalfleet::worker
