#include "cli/simulator/responder.hpp"

#include "cli/simulator/body_faults.hpp"
#include "cli/simulator/gzip.hpp"
#include "cli/simulator/protocols/wire.hpp"
#include "cli/simulator/refused_members.hpp"
#include "cli/simulator/stream_producer.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::simulator {

namespace {

bool has_no_reply(Fault fault) {
    return fault == Fault::hang || fault == Fault::reset || fault == Fault::close;
}

async::Duration scaled(async::Duration duration, double share) {
    return std::chrono::duration_cast<async::Duration>(duration * share);
}

/// A stream in one piece.
std::string whole_stream(const Protocol& protocol, const Completion& completion,
                         std::chrono::nanoseconds worked) {
    const auto stream = protocol.write_stream(completion);
    std::string text = stream->begin();
    for (const std::string_view piece : cut_into_pieces(completion.content))
        text += stream->sealed(stream->text(piece));
    return text += stream->end(worked);
}

Failure failure_of(const Protocol& protocol, const Outcome& outcome) {
    Failure failure;
    failure.status = outcome.status;
    failure.kind = outcome.failure;
    failure.code = outcome.error_code;
    failure.param = outcome.refused_member;
    if (!failure.param.empty()) {
        failure.message = fmt::format(
            "Unsupported parameter: '{}' is not supported with this model.", failure.param);
    }
    failure.retry_after = outcome.retry_after;
    if (outcome.status == 200) {
        failure.kind = FailureKind::blocked;
        failure.status = protocol.status_of(failure.kind);
    }
    return failure;
}

}  // namespace

async::Duration Responder::service_time(const Outcome& outcome) const {
    return outcome.fault == Fault::hang ? config_.hang : outcome.delay;
}

async::Duration Responder::head_due(const Outcome& outcome) const {
    const bool is_whole = !outcome.stream || outcome.status != 200 || outcome.fault == Fault::hang;
    if (is_whole) return service_time(outcome);
    return scaled(outcome.delay, config_.first_token_share / 2);
}

http::Reply Responder::answer(const Protocol& protocol, Outcome outcome,
                              std::unique_ptr<Visit> visit, const Moment& moment) const {
    visit->entry.reply = moment.now;
    if (outcome.status == 200 && has_no_reply(outcome.fault)) {
        http::Reply none =
            outcome.fault == Fault::reset ? http::Reply::reset() : http::Reply::hang_up();
        none.receipt = std::move(visit);
        return none;
    }
    const bool is_blocked =
        outcome.fault == Fault::prompt_filter && protocol.refuses_blocked_prompts();
    if (outcome.status != 200 || is_blocked) {
        return refuse(protocol, failure_of(protocol, outcome), std::move(visit), moment);
    }
    visit->entry.status = outcome.status;
    visit->entry.stream = outcome.stream;
    http::Reply reply = outcome.stream ? streamed(protocol, std::move(outcome), *visit)
                                       : whole(protocol, outcome, *visit, moment);
    const ReplyFacts facts{visit->entry.request_id, moment.now - visit->entry.arrival, moment.utc,
                           moment.quota};
    protocol.add_headers(facts, reply.headers);
    reply.receipt = std::move(visit);
    return reply;
}

http::Reply Responder::whole(const Protocol& protocol, const Outcome& outcome, const Visit& visit,
                             const Moment& moment) const {
    std::string body = protocol.write(outcome.completion, moment.now - visit.entry.arrival);
    const bool is_half = outcome.fault == Fault::malformed || outcome.fault == Fault::truncate;
    if (is_half) body.resize(body.size() / 2);
    if (outcome.fault == Fault::blank_error) add_blank_error(body);
    http::Reply reply;
    reply.headers.add("Content-Type", std::string(protocol.content_type()));
    if (breaks_body(outcome.fault)) {
        reply.producer =
            std::make_unique<BodyFaultProducer>(std::move(body), outcome, config_.hang);
        return reply;
    }
    if (outcome.fault == Fault::gzip) {
        reply.headers.add("Content-Encoding", "gzip");
        body = gzip(body);
    }
    reply.body = std::move(body);
    return reply;
}

http::Reply Responder::streamed(const Protocol& protocol, Outcome outcome, Visit& visit) const {
    const StreamSchedule schedule{scaled(outcome.delay, config_.first_token_share), outcome.delay};
    http::Reply reply;
    reply.headers.add("Content-Type", std::string(protocol.stream_type(outcome.completion)));
    reply.headers.add("Cache-Control", "no-cache");
    if (outcome.fault == Fault::gzip) {
        reply.headers.add("Content-Encoding", "gzip");
        reply.body = gzip(whole_stream(protocol, outcome.completion, outcome.delay));
        return reply;
    }
    reply.producer = std::make_unique<StreamProducer>(protocol, std::move(outcome), visit, schedule,
                                                      config_.hang);
    return reply;
}

http::Reply Responder::refuse(const Protocol& protocol, Failure failure,
                              std::unique_ptr<Visit> visit, const Moment& moment) const {
    visit->entry.reply = moment.now;
    visit->entry.status = failure.status;
    failure.request_id = visit->entry.request_id;
    http::Reply reply;
    reply.status = failure.status;
    reply.headers.add("Content-Type", std::string(protocol.content_type()));
    reply.body = config_.error_shape == ErrorShape::own
                     ? protocol.write_error(failure)
                     : write_error_shape(config_.error_shape, failure);
    const ReplyFacts facts{visit->entry.request_id, moment.now - visit->entry.arrival, moment.utc,
                           moment.quota};
    protocol.add_headers(facts, reply.headers);
    if (failure.retry_after) {
        reply.headers.add("Retry-After", seconds_text(*failure.retry_after));
    }
    reply.receipt = std::move(visit);
    return reply;
}

}  // namespace evalfleet::simulator
