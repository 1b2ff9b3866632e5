#pragma once

#include "common/http/router.hpp"
#include "common/log/logger.hpp"
#include "coordinator/access/gatekeeper.hpp"
#include "coordinator/access/role.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::api {

/// A request that was let in, and by whom it is made. Lives until its handler returned.
struct Call {
    http::RequestContext& request;
    access::Identity caller;
    std::vector<std::string> made{};  ///< ids of the runs that it made: for the audit log
};

using CallHandler = std::function<boost::asio::awaitable<http::Reply>(Call&)>;

/// A parameter of the query, or a header.
struct Parameter {
    std::string name;
    std::string description;
    std::string schema = R"({"type":"string"})";  ///< JSON
    bool required = false;
};

struct Answer {
    int status = 200;
    std::string description;
    std::string schema{};  ///< of components/schemas; empty: any, or none
    std::string content_type = "application/json";
};

/// One route: everything that has to be known to serve, guard and describe it.
struct RouteSpec {
    std::string method;
    std::string pattern;
    std::string id;       ///< `operationId`, and what the audit log calls it
    std::string section;  ///< which it is shown under
    std::string summary;
    std::optional<access::Role> role = access::Role::reader;  ///< none: open to all
    bool needs_store = true;       ///< not served while this coordinator does not lead
    bool works_in_view = false;    ///< a change that is allowed where runs are only looked at
    bool takes_any_query = false;  ///< of a page, whose script reads it
    std::vector<Parameter> query{};
    std::vector<Parameter> headers{};
    std::string body_type{};    ///< empty: it takes none
    std::string body_schema{};  ///< of components/schemas; empty: any
    std::vector<Answer> answers{};
    std::uint64_t max_body_bytes = 64 * 1024;
};

/// The routes of the API, kept with their descriptions so that what is served, what is guarded and
/// what /api/v1/openapi.json says are one thing.
class RouteTable {
  public:
    struct Route {
        RouteSpec spec;
        CallHandler handler;
    };

    /// Why the store cannot be used right now, for people; empty: it can.
    using BlockedReason = std::function<std::string()>;

    void add(RouteSpec spec, CallHandler handler);

    [[nodiscard]] const std::deque<Route>& routes() const noexcept { return routes_; }

    /// Puts every route behind the gatekeeper. Everything given, this included, must outlive the
    /// router.
    /// `is_view`: changes are refused, except those that work there.
    void install(http::Router& router, access::Gatekeeper& gatekeeper, BlockedReason blocked_reason,
                 log::Logger audit, bool is_view = false) const;

  private:
    std::deque<Route> routes_;
};

}  // namespace evalfleet::api
