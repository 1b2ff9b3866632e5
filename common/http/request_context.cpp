#include "common/http/request_context.hpp"

#include <stdexcept>

namespace evalfleet::http {

const std::string& RequestContext::parameter(std::string_view name) const {
    for (const auto& [known, value] : parameters) {
        if (known == name) return value;
    }
    throw std::logic_error("the route has no parameter named " + std::string(name));
}

}  // namespace evalfleet::http
