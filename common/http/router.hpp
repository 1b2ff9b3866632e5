#pragma once

#include "common/http/reply.hpp"
#include "common/http/request_context.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace evalfleet::http {

/// Answers one request. An exception becomes a 500 that tells nothing of its cause. A lambda that
/// captures must not itself be a coroutine; let it return that of a named function:
///
///     router.add("GET", "/runs/{id}", [this](RequestContext& request) { return show(request); });
using Handler = std::function<boost::asio::awaitable<Reply>(RequestContext&)>;

struct RouteOptions {
    std::uint64_t max_body_bytes = 1024 * 1024;
    bool is_probe = false;  ///< answered even when there are too many connections; must be quick
};

/// Finds the handler of a request by method and path. Pure; filled before the server starts.
class Router {
  public:
    struct Route {
        std::string method;
        std::string pattern;
        Handler handler;
        RouteOptions options;
    };

    enum class Outcome { found, not_found, method_not_allowed, malformed_path };

    struct Match {
        Outcome outcome = Outcome::not_found;
        const Route* route = nullptr;  ///< if found
        PathParameters parameters{};
        std::string allow{};  ///< if the method is not allowed: those that are
    };

    /// `pattern` is a path whose segments are text or `{name}`; `{name*}` at its end takes all the
    /// rest, slashes and nothing at all included. Text is preferred to `{name}`, and that to
    /// `{name*}`. A GET route answers HEAD too, without the body. Throws std::logic_error on a
    /// malformed pattern and on one that is there already.
    void add(std::string method, std::string pattern, Handler handler, RouteOptions options = {});

    /// `path` as it stands in the request, without the query. Its segments are decoded after they
    /// were split, so that an encoded slash stays inside its segment.
    [[nodiscard]] Match match(std::string_view method, std::string_view path) const;

    /// All of them; good until the next `add`.
    [[nodiscard]] std::vector<const Route*> routes() const;

  private:
    struct Segment {
        enum class Kind { text, parameter, rest };
        Kind kind = Kind::text;
        std::string text;  // or the parameter's name
        friend bool operator==(const Segment&, const Segment&) = default;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };
    /// All routes of one pattern.
    struct Place {
        std::vector<Segment> segments;
        std::vector<Route> routes;
    };

    [[nodiscard]] static std::vector<Segment> parse(const std::string& pattern);
    [[nodiscard]] static bool fits(const Place& place, const std::vector<std::string>& path,
                                   PathParameters& parameters);
    [[nodiscard]] static bool is_preferred(const Place& a, const Place& b);
    [[nodiscard]] static std::string allowed_methods(const Place& place);

    [[nodiscard]] static Match choose(const Place& place, std::string_view method);

    std::vector<Place> places_;  // the preferred first
    // Of the patterns without parameters: where they are in `places_`. Nothing is preferred to
    // them.
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> by_path_;
};

}  // namespace evalfleet::http
