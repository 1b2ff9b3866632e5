#include "common/providers/header_reader.hpp"

#include "common/http/headers.hpp"

namespace evalfleet::providers {

using config::Fields;

ExtraHeader read_header(Fields& headers, const std::string& name) {
    ExtraHeader header{.name = name};
    const auto node = headers.take(name);
    if (!node->is_map()) {
        if (!node->is_scalar() || !http::is_field_value(node->text()))
            headers.fail(name, "found " + node->describe() +
                                   ", allowed: a text of one line, or a map with env or file");
        else
            header.value = node->text();
        return header;
    }
    Fields source = headers.map(name);
    source.read("env", header.env);
    source.read("file", header.file);
    source.read("prefix", header.value);
    source.finish();
    const bool has_one = header.env.has_value() != header.file.has_value();
    if (!has_one) headers.fail(name, "found a map, allowed: with one of env and file");
    if (!http::is_field_value(header.value))
        headers.fail(name, "found a prefix that no header can have");
    return header;
}

}  // namespace evalfleet::providers
