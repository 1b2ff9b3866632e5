#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::worker {

/// Numbers with commas between them: how state travels through Redis. Every number is written so
/// that it reads back as the same.
class NumberWriter {
  public:
    void operator()(double number);
    [[nodiscard]] std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

/// Reads such a list number by number. Nothing in Redis is trusted: one that is missing, or not
/// finite, makes the whole list bad.
class NumberReader {
  public:
    explicit NumberReader(std::string_view text) : text_(text) {}

    void operator()(double& number);
    /// Everything was read, and all of it was good.
    [[nodiscard]] bool is_complete() const noexcept { return is_good_ && text_.empty(); }

  private:
    std::string_view text_;
    bool is_good_ = true;
};

/// The text of something that visits its numbers with `each(self, visit)`.
template <class Value>
[[nodiscard]] std::string to_number_list(const Value& value) {
    NumberWriter writer;
    Value::each(value, [&writer](double number) { writer(number); });
    return writer.take();
}

template <class Value>
[[nodiscard]] std::optional<Value> from_number_list(std::string_view text) {
    Value value;
    NumberReader reader(text);
    Value::each(value, [&reader](double& number) { reader(number); });
    if (!reader.is_complete()) return std::nullopt;
    return value;
}

}  // namespace evalfleet::worker
