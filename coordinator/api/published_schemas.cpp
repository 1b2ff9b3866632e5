#include "coordinator/api/published_schemas.hpp"

#include "common/json/boost.hpp"
#include "common/json/document.hpp"
#include "coordinator/api/schema_texts.hpp"

#include <string>
#include <string_view>

namespace evalfleet::api {

namespace {

constexpr std::string_view kOwn = "#/$defs/";

boost::json::object reference(const std::string& component) {
    return {{"$ref", "#/components/schemas/" + component}};
}

/// References to what lies beside the schema become references to components. The depth is that of
/// our own files.
void lead_to_components(boost::json::value& value, const std::string& schema) {
    if (boost::json::array* items = value.if_array()) {
        for (boost::json::value& item : *items)
            lead_to_components(item, schema);
    }
    boost::json::object* object = value.if_object();
    if (object == nullptr) return;
    for (auto& member : *object) {
        const boost::json::string* target = member.value().if_string();
        if (member.key() == "$ref" && target != nullptr && target->starts_with(kOwn)) {
            const std::string name(std::string_view(*target).substr(kOwn.size()));
            member.value() = reference(schema + "." + name).at("$ref");
        } else {
            lead_to_components(member.value(), schema);
        }
    }
}

void add(boost::json::object& components, const SchemaText& text) {
    const auto document = json::Document::parse(text.json);
    boost::json::value schema = json::to_boost(document.value().root());
    const std::string name(text.name);
    lead_to_components(schema, name);
    boost::json::object& object = schema.as_object();
    if (const boost::json::value* own = object.if_contains("$defs")) {
        for (const auto& part : own->as_object())
            components[name + "." + std::string(part.key())] = part.value();
    }
    for (const char* of_files : {"$defs", "$schema", "$id"})
        object.erase(of_files);
    components[name] = std::move(schema);
}

/// The run file's judge without the null that says that people judge.
boost::json::value judge_of(const boost::json::object& components) {
    const boost::json::value& judge = components.at("RunFile").at("properties").at("judge");
    for (const boost::json::value& either : judge.at("anyOf").as_array()) {
        if (either.at("type") == "object") return either;
    }
    return judge;
}

}  // namespace

void add_published_schemas(boost::json::object& components) {
    for (const SchemaText& text : schema_texts())
        add(components, text);
    components["Judge"] = judge_of(components);
    components["Policy"] = reference("RunFile.policy");
}

}  // namespace evalfleet::api
