#pragma once

#include "common/json/value.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace evalfleet::json {

/// Takes members of an object one after the other, and keeps the first error; what comes behind it
/// is left as it was.
///
///     const Status read = MemberReader(value).take("name", name).take("size", size).status();
class MemberReader {
  public:
    explicit MemberReader(const Value& object) : object_(object) {}

    /// A member that must be there.
    template <class T>
    MemberReader& take(std::string_view name, T& field) {
        if (status_) store(object_.get<T>(name), field);
        return *this;
    }

    /// One that may be absent or null.
    template <class T>
    MemberReader& take(std::string_view name, std::optional<T>& field) {
        if (status_) store(object_.optional<T>(name), field);
        return *this;
    }

    [[nodiscard]] const Status& status() const noexcept { return status_; }

  private:
    template <class Found, class T>
    void store(Found found, T& field) {
        if (found)
            field = std::move(*found);
        else
            status_ = found.error();
    }

    Value object_;
    Status status_;
};

}  // namespace evalfleet::json
