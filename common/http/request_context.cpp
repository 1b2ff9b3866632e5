#include "common/http/request_context.hpp"

#include <stdexcept>

namespace evalfleet::http {

boost::asio::awaitable<Result<std::string>> BodyReader::read_all() {
    std::string body;
    for (;;) {
        auto part = co_await read();
        if (!part) co_return part.error();
        if (!*part) co_return body;
        body += **part;
    }
}

const std::string& RequestContext::parameter(std::string_view name) const {
    for (const auto& [known, value] : parameters) {
        if (known == name) return value;
    }
    throw std::logic_error("the route has no parameter named " + std::string(name));
}

}  // namespace evalfleet::http
