#include "common/queue/decode.hpp"

#include "common/redis/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace evalfleet::queue {

namespace {

using redis::Reply;

Error unexpected(std::string_view what, const Reply& reply) {
    return {ErrorKind::invalid, fmt::format("the queue's answer to {} is {}, which it never is",
                                            what, describe(reply.type()))};
}

bool is_text(const Reply& reply) {
    return reply.type() == Reply::Type::string || reply.type() == Reply::Type::status;
}

bool is_array(const Reply& reply, std::size_t at_least) {
    return reply.type() == Reply::Type::array && reply.items().size() >= at_least;
}

// Redis turns numbers of Lua into integers; what we stored as text comes back as text.
std::optional<std::uint64_t> number(const Reply& reply) {
    if (reply.type() == Reply::Type::integer && reply.as_integer() >= 0)
        return static_cast<std::uint64_t>(reply.as_integer());
    if (is_text(reply)) return parse_index(reply.text());
    return std::nullopt;
}

/// The wait at the end of a job, which functions before version 3 do not give. False if it is there
/// and is no time.
bool decode_wait(const Reply::Array& items, std::optional<std::chrono::milliseconds>& waited) {
    if (items.size() < 7 || items[6].is_nil()) return true;
    if (items[6].type() != Reply::Type::integer || items[6].as_integer() < 0) return false;
    waited = std::chrono::milliseconds(items[6].as_integer());
    return true;
}

std::optional<TakenJob> decode_job(const Reply& reply) {
    if (!is_array(reply, 6) || !is_text(reply.items()[0]) || !is_text(reply.items()[5]))
        return std::nullopt;
    const auto& items = reply.items();
    const auto index = number(items[1]);
    const auto attempt = number(items[2]);
    const auto deliveries = number(items[3]);
    const auto tries = number(items[4]);
    if (!index || !attempt || !deliveries || !tries) return std::nullopt;
    TakenJob job{{items[0].text(), *index, *attempt}, *deliveries, *tries, items[5].text()};
    if (!decode_wait(items, job.waited)) return std::nullopt;
    if (items.size() < 9) return job;
    const auto age = number(items[8]);
    if (!is_text(items[7]) || !age) return std::nullopt;
    job.past = items[7].text();
    job.age = std::chrono::milliseconds(*age);
    return job;
}

template <class Word>
struct Spelling {
    std::string_view text;
    Word word;
};

template <class Word, std::size_t N>
std::optional<Word> word_of(const Reply& reply, const Spelling<Word> (&spellings)[N]) {
    if (!is_text(reply)) return std::nullopt;
    for (const auto& spelling : spellings)
        if (reply.text() == spelling.text) return spelling.word;
    return std::nullopt;
}

/// One word for each thing that was asked about.
template <class Word, std::size_t N>
Result<std::vector<Word>> decode_words(std::string_view what, const Reply& reply,
                                       std::size_t expected, const Spelling<Word> (&spellings)[N]) {
    if (!is_array(reply, expected) || reply.items().size() != expected)
        return unexpected(what, reply);
    std::vector<Word> words;
    for (const Reply& item : reply.items()) {
        const auto word = word_of(item, spellings);
        if (!word) return unexpected(what, item);
        words.push_back(*word);
    }
    return words;
}

RunResult decode_entry(const Reply& entry) {
    RunResult result;
    result.kind = RunResult::Kind::dead;
    result.index = kNoIndex;
    if (!is_array(entry, 2) || !is_text(entry.items()[0])) return result;
    result.id = entry.items()[0].text();
    const auto fields = redis::as<std::map<std::string, std::string>>(entry.items()[1]);
    if (!fields) return result;
    const auto field = [&](const char* name) -> std::string_view {
        const auto found = fields->find(name);
        return found == fields->end() ? std::string_view() : found->second;
    };
    const auto index = parse_index(field("i"));
    const auto attempt = parse_index(field("a"));
    static constexpr Spelling<RunResult::Kind> kKinds[] = {{"ok", RunResult::Kind::record},
                                                           {"dead", RunResult::Kind::dead},
                                                           {"note", RunResult::Kind::note}};
    const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                    [&](const auto& each) { return each.text == field("k"); });
    if (!index || !attempt || kind == std::end(kKinds)) return result;
    result.index = *index;
    result.attempt = *attempt;
    result.kind = kind->word;
    result.value = field("v");
    return result;
}

std::optional<RunStats> decode_run_stats(const Reply& reply) {
    if (!is_array(reply, 9)) return std::nullopt;
    const auto& items = reply.items();
    if (!is_text(items[0]) || !is_text(items[4]) || !is_text(items[6])) return std::nullopt;
    const auto outstanding = number(items[1]);
    const auto ready = number(items[2]);
    const auto results = number(items[3]);
    const auto leased = number(items[5]);
    const auto nano_usd = number(items[7]);
    const auto tokens = number(items[8]);
    if (!outstanding || !ready || !results || !leased || !nano_usd || !tokens) return std::nullopt;
    return RunStats{items[0].text(), *outstanding, *ready,          *results,
                    items[4].text(), *leased,      items[6].text(), {*nano_usd, *tokens}};
}

}  // namespace

std::optional<std::uint64_t> parse_index(std::string_view text) noexcept {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

Result<Taken> decode_taken(const Reply& reply) {
    if (!is_array(reply, 1) || reply.items()[0].type() != Reply::Type::integer)
        return unexpected("take", reply);
    Taken taken;
    if (const auto quiet = reply.items()[0].as_integer(); quiet >= 0)
        taken.quiet_for = std::chrono::milliseconds(quiet);
    taken.passed_over = reply.items()[0].as_integer() == -2;
    for (std::size_t i = 1; i < reply.items().size(); ++i) {
        auto job = decode_job(reply.items()[i]);
        if (!job) return unexpected("take", reply.items()[i]);
        taken.jobs.push_back(std::move(*job));
    }
    return taken;
}

Result<std::vector<Beat>> decode_beats(const Reply& reply, std::size_t expected) {
    static constexpr Spelling<Beat> kWords[] = {
        {"OK", Beat::held}, {"CANCEL", Beat::cancelled}, {"LOST", Beat::lost}};
    return decode_words("beat", reply, expected, kWords);
}

Result<std::vector<Delivery>> decode_deliveries(const Reply& reply, std::size_t expected) {
    static constexpr Spelling<Delivery> kWords[] = {
        {"OK", Delivery::finished}, {"LATE", Delivery::late}, {"DROP", Delivery::dropped}};
    return decode_words("done", reply, expected, kWords);
}

Result<Failure> decode_failure(const Reply& reply) {
    static constexpr Spelling<Failure> kWords[] = {{"RETRY", Failure::delayed},
                                                   {"DEAD", Failure::dead},
                                                   {"LOST", Failure::lost},
                                                   {"NOTED", Failure::noted},
                                                   {"PAUSED", Failure::paused}};
    const auto word = word_of(reply, kWords);
    if (!word) return unexpected("fail", reply);
    return *word;
}

Result<std::vector<Reply>> decode_owned(const Reply& reply) {
    if (!is_array(reply, 1) || !is_text(reply.items()[0]))
        return unexpected("a coordinator's call", reply);
    const std::string& word = reply.items()[0].text();
    if (word == "OK" || word == "FULL") return std::vector<Reply>(reply.items());
    if (word == "NORUN") return Error{ErrorKind::not_found, "Redis does not know the run"};
    if (word == "FENCED")
        return Error{ErrorKind::lease_lost, "a later coordinator has taken the run over"};
    if (word == "DONE") return Error{ErrorKind::lease_lost, "the run is finished"};
    if (word == "STATE") return Error{ErrorKind::denied, "the run was cancelled or is finished"};
    return unexpected("a coordinator's call", reply);
}

Result<Enqueued> decode_enqueued(const Reply& reply) {
    const auto items = decode_owned(reply);
    if (!items) return items.error();
    if (items->size() < 3) return unexpected("enq", reply);
    const auto added = number((*items)[1]);
    const auto outstanding = number((*items)[2]);
    if (!added || !outstanding) return unexpected("enq", reply);
    return Enqueued{(*items)[0].text() == "FULL", *added, *outstanding};
}

Result<std::uint64_t> decode_waiting(const Reply& reply) {
    const auto items = decode_owned(reply);
    if (!items) return items.error();
    if (items->size() < 3) return 0;
    const auto waiting = number((*items)[2]);
    if (!waiting) return unexpected("state", reply);
    return *waiting;
}

Result<Reaped> decode_reaped(const Reply& reply) {
    if (!is_array(reply, 2)) return unexpected("reap", reply);
    const auto requeued = number(reply.items()[0]);
    const auto dead = number(reply.items()[1]);
    if (!requeued || !dead) return unexpected("reap", reply);
    return Reaped{*requeued, *dead};
}

Result<PoolStats> decode_stats(const Reply& reply) {
    if (!is_array(reply, 3)) return unexpected("stats", reply);
    const auto& items = reply.items();
    const auto leased = number(items[0]);
    const auto delayed = number(items[1]);
    const auto workers = number(items[2]);
    if (!leased || !delayed || !workers) return unexpected("stats", reply);
    PoolStats stats{*leased, *delayed, *workers, {}};
    for (std::size_t i = 3; i < items.size(); ++i) {
        auto run = decode_run_stats(items[i]);
        if (!run) return unexpected("stats", items[i]);
        stats.runs.push_back(std::move(*run));
    }
    return stats;
}

Result<std::vector<RunResult>> decode_stream(const Reply& reply) {
    std::vector<RunResult> results;
    if (reply.is_nil()) return results;
    const bool is_one_stream = is_array(reply, 1) && is_array(reply.items()[0], 2) &&
                               is_array(reply.items()[0].items()[1], 0);
    if (!is_one_stream) return unexpected("a read of results", reply);
    for (const Reply& entry : reply.items()[0].items()[1].items())
        results.push_back(decode_entry(entry));
    return results;
}

}  // namespace evalfleet::queue
