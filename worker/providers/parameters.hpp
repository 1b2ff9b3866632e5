#pragma once

#include "common/json/writer.hpp"
#include "worker/providers/protocol.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::worker {

/// Is the model known to refuse a parameter (by the run file's name)?
[[nodiscard]] bool is_refused(const ModelRequest& request, std::string_view parameter);

/// Writes the sampling parameters of a request under a protocol's own names, and notes those that
/// must be left out. One that has the value which a model that refuses it uses anyway is left out
/// without a note: nothing is lost.
class ParameterWriter {
  public:
    ParameterWriter(json::Writer& writer, const ModelRequest& request,
                    std::vector<std::string>& refused)
        : writer_(writer), request_(request), refused_(refused) {}

    /// The model takes neither temperature nor top_p: it samples at 1 and 1.
    void fix_sampling() { is_fixed_ = true; }

    void temperature(std::string_view name);
    void top_p(std::string_view name);
    void seed(std::string_view name);

    /// The protocol has no seed at all.
    void no_seed();

  private:
    void sample(std::string_view parameter, std::string_view name, double value);

    json::Writer& writer_;
    const ModelRequest& request_;
    std::vector<std::string>& refused_;
    bool is_fixed_ = false;
};

}  // namespace evalfleet::worker
