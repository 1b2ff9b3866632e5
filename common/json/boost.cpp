#include "common/json/boost.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

namespace evalfleet::json {
namespace {

boost::json::value number_to_boost(Value value) {
    if (value.kind() == Kind::real) return *value.as_double();
    if (const auto number = value.as_int64()) return *number;
    return *value.as_uint64();
}

boost::json::value array_to_boost(const Array& array) {
    boost::json::array out;
    out.reserve(array.size());
    for (const Value element : array)
        out.push_back(to_boost(element));
    return out;
}

boost::json::value object_to_boost(const Object& object) {
    boost::json::object out;
    out.reserve(object.size());
    for (const auto [key, value] : object)
        out[{key.data(), key.size()}] = to_boost(value);
    return out;
}

}  // namespace

boost::json::value to_boost(Value value) {
    switch (value.kind()) {
        case Kind::null:
            return nullptr;
        case Kind::boolean:
            return *value.as_bool();
        case Kind::integer:
        case Kind::real:
            return number_to_boost(value);
        case Kind::string: {
            const std::string_view text = *value.as_string();
            return boost::json::string(text.data(), text.size());
        }
        case Kind::array:
            return array_to_boost(*value.as_array());
        case Kind::object:
            return object_to_boost(*value.as_object());
    }
    return nullptr;
}

void write(Writer& writer, const boost::json::value& value) {
    switch (value.kind()) {
        case boost::json::kind::null:
            writer.null();
            return;
        case boost::json::kind::bool_:
            writer.value(value.get_bool());
            return;
        case boost::json::kind::int64:
            writer.value(value.get_int64());
            return;
        case boost::json::kind::uint64:
            writer.value(value.get_uint64());
            return;
        case boost::json::kind::double_:
            writer.value(value.get_double());
            return;
        case boost::json::kind::string:
            writer.value(std::string_view(value.get_string().data(), value.get_string().size()));
            return;
        case boost::json::kind::array:
            writer.begin_array();
            for (const auto& element : value.get_array())
                write(writer, element);
            writer.end_array();
            return;
        case boost::json::kind::object:
            writer.begin_object();
            for (const auto& member : value.get_object()) {
                writer.key({member.key().data(), member.key().size()});
                write(writer, member.value());
            }
            writer.end_object();
            return;
    }
}

std::string serialize(const boost::json::value& value, Layout layout) {
    std::string out;
    Writer writer(out, layout);
    write(writer, value);
    return out;
}

}  // namespace evalfleet::json
