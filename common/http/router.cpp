#include "common/http/router.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace evalfleet::http {

namespace {

/// "/a/b" is a, b; "/" is nothing; "/a/" is a and an empty segment.
std::vector<std::string_view> split(std::string_view path) {
    std::vector<std::string_view> segments;
    path.remove_prefix(1);
    if (path.empty()) return segments;
    for (;;) {
        const auto slash = path.find('/');
        segments.push_back(path.substr(0, slash));
        if (slash == std::string_view::npos) return segments;
        path.remove_prefix(slash + 1);
    }
}

std::optional<std::vector<std::string>> split_and_decode(std::string_view path) {
    std::vector<std::string> segments;
    if (!path.starts_with('/')) return std::nullopt;
    for (const std::string_view raw : split(path)) {
        auto segment = percent_decode(raw);
        if (!segment || segment->find('\0') != std::string::npos) return std::nullopt;
        segments.push_back(std::move(*segment));
    }
    return segments;
}

std::string join(std::vector<std::string>::const_iterator begin,
                 std::vector<std::string>::const_iterator end) {
    std::string joined;
    for (auto segment = begin; segment != end; ++segment) {
        if (segment != begin) joined += '/';
        joined += *segment;
    }
    return joined;
}

}  // namespace

std::vector<Router::Segment> Router::parse(const std::string& pattern) {
    const auto refuse = [&pattern](const char* why) {
        throw std::logic_error("route '" + pattern + "': " + why);
    };
    if (!pattern.starts_with('/')) refuse("does not begin with '/'");
    std::vector<Segment> segments;
    for (const std::string_view raw : split(pattern)) {
        if (!segments.empty() && segments.back().kind == Segment::Kind::rest) {
            refuse("something follows the rest");
        }
        const bool is_braced = raw.size() > 2 && raw.front() == '{' && raw.back() == '}';
        if (!is_braced) {
            if (raw.find_first_of("{}") != std::string_view::npos) refuse("unbalanced braces");
            segments.push_back({Segment::Kind::text, std::string(raw)});
            continue;
        }
        std::string_view name = raw.substr(1, raw.size() - 2);
        const bool is_rest = name.ends_with('*');
        if (is_rest) name.remove_suffix(1);
        if (!is_token(name)) refuse("a parameter without a name");
        segments.push_back(
            {is_rest ? Segment::Kind::rest : Segment::Kind::parameter, std::string(name)});
    }
    return segments;
}

bool Router::is_preferred(const Place& a, const Place& b) {
    return std::lexicographical_compare(
        a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(),
        [](const Segment& x, const Segment& y) { return x.kind < y.kind; });
}

void Router::add(std::string method, std::string pattern, Handler handler, RouteOptions options) {
    if (!is_token(method)) throw std::logic_error("route '" + pattern + "': not a method");
    const auto segments = parse(pattern);
    auto place = std::find_if(places_.begin(), places_.end(),
                              [&](const Place& known) { return known.segments == segments; });
    if (place == places_.end()) {
        Place fresh{segments, {}};
        place =
            places_.insert(std::upper_bound(places_.begin(), places_.end(), fresh, is_preferred),
                           std::move(fresh));
    }
    for (const auto& route : place->routes) {
        if (route.method == method) throw std::logic_error("route '" + pattern + "' exists twice");
    }
    place->routes.push_back({std::move(method), std::move(pattern), std::move(handler), options});
    by_path_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const auto is_text = [](const Segment& s) { return s.kind == Segment::Kind::text; };
        if (std::all_of(places_[i].segments.begin(), places_[i].segments.end(), is_text)) {
            by_path_.emplace(places_[i].routes.front().pattern, i);
        }
    }
}

std::vector<const Router::Route*> Router::routes() const {
    std::vector<const Route*> all;
    for (const Place& place : places_)
        for (const Route& route : place.routes)
            all.push_back(&route);
    return all;
}

bool Router::fits(const Place& place, const std::vector<std::string>& path,
                  PathParameters& parameters) {
    parameters.clear();
    std::size_t i = 0;
    for (const auto& segment : place.segments) {
        if (segment.kind == Segment::Kind::rest) {
            const auto from = path.begin() + static_cast<std::ptrdiff_t>(std::min(i, path.size()));
            parameters.emplace_back(segment.text, join(from, path.end()));
            return true;
        }
        if (i >= path.size()) return false;
        if (segment.kind == Segment::Kind::text) {
            if (segment.text != path[i]) return false;
        } else {
            if (path[i].empty()) return false;
            parameters.emplace_back(segment.text, path[i]);
        }
        ++i;
    }
    return i == path.size();
}

Router::Match Router::match(std::string_view method, std::string_view path) const {
    // Most requests are for a path that is known as it stands.
    if (const auto known = by_path_.find(path); known != by_path_.end()) {
        return choose(places_[known->second], method);
    }
    Match match;
    const auto segments = split_and_decode(path);
    if (!segments) {
        match.outcome = Outcome::malformed_path;
        return match;
    }
    PathParameters parameters;
    for (const auto& place : places_) {
        if (!fits(place, *segments, parameters)) continue;
        match = choose(place, method);
        if (match.outcome == Outcome::found) match.parameters = std::move(parameters);
        return match;
    }
    return match;
}

/// Among the routes of the pattern that fits.
Router::Match Router::choose(const Place& place, std::string_view method) {
    Match match;
    for (const auto& route : place.routes) {
        const bool answers = route.method == method || (method == "HEAD" && route.method == "GET");
        if (!answers) continue;
        match.outcome = Outcome::found;
        match.route = &route;
        // A HEAD route of its own comes before that of GET.
        if (route.method == method) break;
    }
    if (match.outcome == Outcome::found) return match;
    match.outcome = Outcome::method_not_allowed;
    match.allow = allowed_methods(place);
    return match;
}

std::string Router::allowed_methods(const Place& place) {
    std::vector<std::string> methods;
    for (const auto& route : place.routes)
        methods.push_back(route.method);
    const auto has = [&](const char* method) {
        return std::find(methods.begin(), methods.end(), method) != methods.end();
    };
    if (has("GET") && !has("HEAD")) methods.emplace_back("HEAD");
    std::sort(methods.begin(), methods.end());
    std::string list;
    for (const auto& method : methods)
        list.append(list.empty() ? "" : ", ").append(method);
    return list;
}

}  // namespace evalfleet::http
