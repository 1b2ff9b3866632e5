#pragma once

#include "common/job/names.hpp"
#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "common/result/result.hpp"
#include "common/text/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// How a single value looks in JSON, by its type: enums by their names, what is empty as null,
/// vectors, maps, and objects that have a table of fields (see fields.hpp).
namespace evalfleet::job {

/// How an object is read, and every object inside it.
enum class Strictness {
    tolerant,  ///< what programs exchange: an unknown key is skipped, null is the same as absent
    strict,    ///< what people write: an unknown key is an error, null only where it has a meaning
};

/// The JSON members of T. Specialise with `static std::span<const Field<T>> fields()`.
template <class T>
struct FieldTable;

template <class T>
concept HasFields = requires {
    FieldTable<T>::fields();
};

/// What people write is read to its end, so that they can mend everything at once; what programs
/// exchange is given up at the first fault. Gathers the faults into one error, one a line.
class FaultGatherer {
  public:
    explicit FaultGatherer(Strictness strictness) : strictness_(strictness) {}

    /// True if reading shall go on after `read`.
    bool accept(const Status& read) {
        if (read) return true;
        if (!fault_) {
            fault_ = read.error();
        } else {
            fault_->message += '\n' + read.error().message;
        }
        return strictness_ == Strictness::strict;
    }

    [[nodiscard]] Status status() const { return fault_ ? Status(*fault_) : Status{}; }

  private:
    Strictness strictness_;
    std::optional<Error> fault_;
};

template <class T>
Status read_object(json::Value value, T& out, Strictness strictness);
template <class T>
void write_object(json::Writer& writer, const T& item);

template <class T>
struct Codec {
    static Status read(json::Value value, T& out, Strictness strictness) {
        if constexpr (HasFields<T>) {
            return read_object(value, out, strictness);
        } else {
            auto read = value.as<T>();
            if (!read) return read.error();
            out = *std::move(read);
            return {};
        }
    }
    static void write(json::Writer& writer, const T& item) {
        if constexpr (HasFields<T>) {
            write_object(writer, item);
        } else {
            writer.value(item);
        }
    }
};

template <NamedEnum Enum>
struct Codec<Enum> {
    static Status read(json::Value value, Enum& out, Strictness) {
        const auto name = value.as_string();
        const auto known = name ? from_name<Enum>(*name) : std::nullopt;
        if (!known) {
            const auto& names = Names<Enum>::values;
            Error wrong = value.unexpected(fmt::format("one of {}", fmt::join(names, ", ")));
            if (const auto near = text::nearest(name ? *name : "", names))
                wrong.message += fmt::format("; did you mean \"{}\"?", *near);
            return wrong;
        }
        out = *known;
        return {};
    }
    static void write(json::Writer& writer, Enum item) { writer.value(to_string(item)); }
};

template <class T>
struct Codec<std::optional<T>> {
    static Status read(json::Value value, std::optional<T>& out, Strictness strictness) {
        out.reset();
        return value.is_null() ? Status{} : Codec<T>::read(value, out.emplace(), strictness);
    }
    static void write(json::Writer& writer, const std::optional<T>& item) {
        if (item) {
            Codec<T>::write(writer, *item);
        } else {
            writer.null();
        }
    }
};

template <class T>
struct Codec<std::vector<T>> {
    static Status read(json::Value value, std::vector<T>& out, Strictness strictness) {
        const auto items = value.as_array();
        if (!items) return items.error();
        out.clear();
        FaultGatherer faults(strictness);
        for (const json::Value item : *items) {
            if (!faults.accept(Codec<T>::read(item, out.emplace_back(), strictness))) break;
        }
        return faults.status();
    }
    static void write(json::Writer& writer, const std::vector<T>& items) {
        writer.begin_array();
        for (const T& item : items)
            Codec<T>::write(writer, item);
        writer.end_array();
    }
};

template <class T, class Less>
struct Codec<std::map<std::string, T, Less>> {
    using Map = std::map<std::string, T, Less>;
    static Status read(json::Value value, Map& out, Strictness strictness) {
        const auto members = value.as_object();
        if (!members) return members.error();
        out.clear();
        FaultGatherer faults(strictness);
        for (const auto [key, member] : *members) {
            if (!faults.accept(Codec<T>::read(member, out[std::string(key)], strictness))) break;
        }
        return faults.status();
    }
    static void write(json::Writer& writer, const Map& items) {
        writer.begin_object();
        for (const auto& [key, item] : items) {
            writer.key(key);
            Codec<T>::write(writer, item);
        }
        writer.end_object();
    }
};

}  // namespace evalfleet::job
