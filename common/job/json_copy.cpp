#include "common/job/json_copy.hpp"

namespace evalfleet::job {

namespace {

void copy_array(json::Writer& writer, const json::Array& items) {
    writer.begin_array();
    for (const json::Value item : items)
        copy_json(writer, item);
    writer.end_array();
}

void copy_object(json::Writer& writer, const json::Object& members) {
    writer.begin_object();
    for (const auto [key, member] : members) {
        writer.key(key);
        copy_json(writer, member);
    }
    writer.end_object();
}

void copy_integer(json::Writer& writer, json::Value value) {
    // What does not fit in one of the two fits in the other: the parser refuses larger ones.
    if (const auto number = value.as_int64()) {
        writer.value(*number);
    } else {
        writer.value(value.as_uint64().value());
    }
}

}  // namespace

// Recursive: the parser bounds the depth.
void copy_json(json::Writer& writer, json::Value value) {
    switch (value.kind()) {
        case json::Kind::null:
            writer.null();
            break;
        case json::Kind::boolean:
            writer.value(value.as_bool().value());
            break;
        case json::Kind::integer:
            copy_integer(writer, value);
            break;
        case json::Kind::real:
            writer.value(value.as_double().value());
            break;
        case json::Kind::string:
            writer.value(value.as_string().value());
            break;
        case json::Kind::array:
            copy_array(writer, value.as_array().value());
            break;
        case json::Kind::object:
            copy_object(writer, value.as_object().value());
            break;
    }
}

std::string json_text(json::Value value) {
    std::string out;
    json::Writer writer(out);
    copy_json(writer, value);
    return out;
}

}  // namespace evalfleet::job
