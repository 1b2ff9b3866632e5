#pragma once

#include "common/http/percent.hpp"
#include "common/http/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::api {

/// Reads the parameters of a query and gathers what is wrong with them. Pure.
class QueryReader {
  public:
    explicit QueryReader(const http::Query& query) : query_(query) {}

    /// Empty if it is not there.
    [[nodiscard]] std::string text(std::string_view name, std::size_t max_bytes = 256);
    /// Every value of a parameter that may be repeated.
    [[nodiscard]] std::vector<std::string> texts(std::string_view name, std::size_t max_count,
                                                 std::size_t max_bytes = 256);
    [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t fallback,
                                       std::uint64_t min, std::uint64_t max);
    [[nodiscard]] std::optional<bool> boolean(std::string_view name);

    void fail(std::string_view name, std::string message);

    /// 400 with everything that was wrong; nothing if all is well.
    [[nodiscard]] std::optional<http::Reply> refusal() const;

  private:
    const http::Query& query_;
    std::vector<http::FieldFault> faults_;
};

}  // namespace evalfleet::api
