#pragma once

#include "common/job/fields.hpp"
#include "common/job/generation_params.hpp"
#include "common/job/json_copy.hpp"

#include <array>

/// How generation parameters stand in a run file and in a run's metadata.
namespace evalfleet::job {

/// A text, or a list of them.
template <>
struct Codec<StopSequences> {
    static constexpr std::size_t kMost = 16;

    static Status read(json::Value value, StopSequences& out, Strictness) {
        out.texts.clear();
        if (value.is_array()) {
            for (const json::Value item : *value.as_array()) {
                if (const Status read = add(item, out); !read) return read;
            }
        } else if (const Status read = add(value, out); !read) {
            return read;
        }
        const bool is_good = !out.texts.empty() && out.texts.size() <= kMost;
        return is_good ? Status{} : value.unexpected("a text, or 1 to 16 texts");
    }
    static void write(json::Writer& writer, const StopSequences& stop) {
        Codec<std::vector<std::string>>::write(writer, stop.texts);
    }

  private:
    static Status add(json::Value item, StopSequences& out) {
        const auto text = item.as_string();
        if (!text || text->empty()) return item.unexpected("a text that is not empty");
        out.texts.emplace_back(*text);
        return {};
    }
};

template <>
struct Codec<JsonObject> {
    static Status read(json::Value value, JsonObject& out, Strictness) {
        if (!value.is_object()) return value.unexpected("an object");
        out.text = json_text(value);
        return {};
    }
    static void write(json::Writer& writer, const JsonObject& object) { writer.raw(object.text); }
};

/// `json`, or `{json_schema: {...}}`.
template <>
struct Codec<ResponseFormat> {
    static Status read(json::Value value, ResponseFormat& out, Strictness) {
        constexpr std::string_view kAllowed = "json, or a map of json_schema alone";
        out.json_schema.clear();
        if (const auto word = value.as_string(); word && *word == "json") return {};
        const auto schema = value.find("json_schema");
        if (!schema || !schema->is_object() || value.as_object()->size() != 1)
            return value.unexpected(kAllowed);
        out.json_schema = json_text(*schema);
        return {};
    }
    static void write(json::Writer& writer, const ResponseFormat& format) {
        if (format.json_schema.empty()) {
            writer.value("json");
        } else {
            writer.begin_object().key("json_schema").raw(format.json_schema).end_object();
        }
    }
};

/// A provider's own word for a setting.
struct Word {
    static Status check(json::Value value, const std::optional<std::string>& word) {
        constexpr std::size_t kMaxBytes = 32;
        if (!word || (!word->empty() && word->size() <= kMaxBytes)) return {};
        return value.unexpected("a word of 1 to 32 bytes");
    }
};

template <>
struct FieldTable<GenerationParams> {
    using Params = GenerationParams;
    static constexpr std::array table{
        field<&Params::temperature, InRange<0.0, 2.0>>("temperature"),
        field<&Params::top_p, InRange<0.0, 1.0>>("top_p"),
        field<&Params::max_tokens, InRange<1.0, 1e7>>("max_tokens"),
        field<&Params::seed>("seed"),
        sparse_field<&Params::stop>("stop"),
        sparse_field<&Params::response_format>("response_format"),
        sparse_field<&Params::reasoning_effort, Word>("reasoning_effort"),
        sparse_field<&Params::thinking_budget, InRange<0.0, 1e7>>("thinking_budget"),
        sparse_field<&Params::prompt_cache>("prompt_cache"),
        sparse_field<&Params::extra>("extra"),
    };
    static std::span<const Field<Params>> fields() { return table; }
};

template <>
struct FieldTable<SentParams> {
    static constexpr std::array table{
        field<&SentParams::temperature>("temperature"),
        field<&SentParams::top_p>("top_p"),
        field<&SentParams::max_tokens>("max_tokens"),
        field<&SentParams::seed>("seed"),
        sparse_field<&SentParams::stop>("stop"),
        sparse_field<&SentParams::response_format>("response_format"),
        sparse_field<&SentParams::reasoning_effort>("reasoning_effort"),
        sparse_field<&SentParams::thinking_budget>("thinking_budget"),
        sparse_field<&SentParams::prompt_cache>("prompt_cache"),
        sparse_field<&SentParams::extra>("extra"),
        sparse_field<&SentParams::headers>("headers"),
    };
    static std::span<const Field<SentParams>> fields() { return table; }
};

}  // namespace evalfleet::job
