#pragma once

#include "common/job/field_values.hpp"
#include "common/text/nearest.hpp"

#include <bitset>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

/// One table a type says what its JSON looks like: the names, in canonical order, and the member
/// behind each. Reading, writing, the check for unknown keys and the list of allowed names all come
/// from it, so they cannot disagree.
///
///     constexpr std::array kFields{field<&Policy::Norms::tokens_ref, Positive>("tokens_ref"),
///     ...};
namespace evalfleet::job {

/// A member of T and how it is read and written.
template <class T>
struct Field {
    std::string_view name;
    Status (*read)(json::Value, T&, Strictness);
    void (*write)(json::Writer&, const T&);
    bool required = false;
    bool (*is_left_out)(const T&) = nullptr;  ///< not written then; null: it always is
};

/// A rule that asks for no more than the member's type does.
struct AnyValue {
    static Status check(json::Value, const auto&) { return {}; }
};

/// A number, or an optional one, from Min to Max.
template <double Min, double Max = std::numeric_limits<double>::max()>
struct InRange {
    template <class Number>
    static Status check(json::Value value, const Number& number) {
        const auto as_double = static_cast<double>(number);
        if (as_double >= Min && as_double <= Max) return {};
        if constexpr (Max == std::numeric_limits<double>::max()) {
            return value.unexpected(fmt::format("a number of at least {}", Min));
        } else {
            return value.unexpected(fmt::format("a number from {} to {}", Min, Max));
        }
    }
    template <class Number>
    static Status check(json::Value value, const std::optional<Number>& number) {
        return number ? check(value, *number) : Status{};
    }
};

using NotNegative = InRange<0.0>;

/// Counts stay where every integer is a double, so that the sum of two cannot overflow.
using Count = InRange<0.0, 9007199254740992.0>;

struct Positive {
    static Status check(json::Value value, double number) {
        return number > 0 ? Status{} : value.unexpected("a number above 0");
    }
};

struct NotEmpty {
    static Status check(json::Value value, const auto& text_or_list) {
        if (!text_or_list.empty()) return {};
        return value.unexpected("something that is not empty");
    }
};

namespace detail {

template <class>
struct MemberPointer;
template <class Class, class Type>
struct MemberPointer<Type Class::*> {
    using Owner = Class;
    using Member = Type;
};

}  // namespace detail

enum class Presence { optional, required };

template <auto Pointer, class Rule = AnyValue>
constexpr auto field(std::string_view name, Presence presence = Presence::optional) {
    using Owner = typename detail::MemberPointer<decltype(Pointer)>::Owner;
    using Member = typename detail::MemberPointer<decltype(Pointer)>::Member;
    return Field<Owner>{name,
                        [](json::Value value, Owner& owner, Strictness strictness) -> Status {
                            Status read = Codec<Member>::read(value, owner.*Pointer, strictness);
                            return read ? Rule::check(value, owner.*Pointer) : read;
                        },
                        [](json::Writer& writer, const Owner& owner) {
                            Codec<Member>::write(writer, owner.*Pointer);
                        },
                        presence == Presence::required};
}

/// A member that is written only if it is not as it is by default.
template <auto Pointer, class Rule = AnyValue>
constexpr auto sparse_field(std::string_view name) {
    auto sparse = field<Pointer, Rule>(name);
    using Owner = typename detail::MemberPointer<decltype(Pointer)>::Owner;
    sparse.is_left_out = [](const Owner& owner) { return owner.*Pointer == Owner{}.*Pointer; };
    return sparse;
}

/// The error for a key that is not in the table, with the one that was most likely meant.
template <class T>
Error unknown_key(json::Value object, std::string_view key) {
    std::vector<std::string_view> names;
    for (const Field<T>& known : FieldTable<T>::fields())
        names.push_back(known.name);
    return object.error(fmt::format("unknown key \"{}\"; {}allowed: {}", key,
                                    text::did_you_mean(key, names), fmt::join(names, ", ")));
}

/// Members usually come in the order in which they were written, so the field after the last one is
/// tried before all others.
template <class T>
std::size_t find_field(std::span<const Field<T>> fields, std::string_view key, std::size_t hint) {
    if (hint < fields.size() && fields[hint].name == key) return hint;
    std::size_t at = 0;
    while (at < fields.size() && fields[at].name != key)
        ++at;
    return at;
}

inline constexpr std::size_t kMaxFields = 128;

/// Reads the members of an object into `out`; what is absent keeps its value. For a key that is not
/// in the table `on_unknown(key, value)` is asked, which gives a Status. Strict reading tells all
/// faults at once, one a line.
template <class T, class OnUnknown>
Status read_members(json::Value value, T& out, Strictness strictness, OnUnknown on_unknown) {
    const std::span<const Field<T>> fields = FieldTable<T>::fields();
    const auto members = value.as_object();
    if (!members) return members.error();
    std::bitset<kMaxFields> seen;
    std::size_t next = 0;
    FaultGatherer faults(strictness);
    for (const auto [key, member] : *members) {
        const std::size_t at = find_field(fields, key, next);
        if (at == fields.size()) {
            if (!faults.accept(on_unknown(key, member))) return faults.status();
            continue;
        }
        next = at + 1;
        if (strictness == Strictness::tolerant && member.is_null()) continue;
        if (!faults.accept(fields[at].read(member, out, strictness))) return faults.status();
        seen[at] = true;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!fields[i].required || seen[i]) continue;
        const Error missing =
            value.error(fmt::format("\"{}\" is required but missing", fields[i].name));
        if (!faults.accept(missing)) break;
    }
    return faults.status();
}

template <class T>
Status read_object(json::Value value, T& out, Strictness strictness) {
    return read_members(value, out, strictness, [&](std::string_view key, json::Value) -> Status {
        if (strictness == Strictness::tolerant) return {};
        return unknown_key<T>(value, key);
    });
}

/// The members only, for an object that has others besides those of the table.
template <class T>
void write_members(json::Writer& writer, const T& item) {
    for (const Field<T>& known : FieldTable<T>::fields()) {
        if (known.is_left_out != nullptr && known.is_left_out(item)) continue;
        writer.key(known.name);
        known.write(writer, item);
    }
}

template <class T>
void write_object(json::Writer& writer, const T& item) {
    writer.begin_object();
    write_members(writer, item);
    writer.end_object();
}

}  // namespace evalfleet::job
