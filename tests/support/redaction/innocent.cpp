#include "tests/support/redaction/draw.hpp"
#include "tests/support/redaction/planted.hpp"

#include <fmt/format.h>

#include <iterator>

namespace evalfleet::testing {
namespace {

std::string uuid(Draw& draw) {
    return fmt::format("{}-{}-4{}-a{}-{}", draw.hex(8), draw.hex(4), draw.hex(3), draw.hex(3),
                       draw.hex(12));
}

std::string date(Draw& draw) {
    return fmt::format("{}-{:02}-{:02}", draw.number(1950, 2035), draw.number(1, 12),
                       draw.number(1, 28));
}

std::string time(Draw& draw) {
    return fmt::format("{:02}:{:02}:{:02}", draw.number(0, 23), draw.number(0, 59),
                       draw.number(0, 59));
}

std::string isbn13(Draw& draw) {
    const std::string digits = "978" + draw.digits(9);
    int sum = 0;
    for (std::size_t i = 0; i < digits.size(); ++i)
        sum += (digits[i] - '0') * (i % 2 == 0 ? 1 : 3);
    return digits + std::to_string((10 - sum % 10) % 10);
}

std::string isbn10(Draw& draw) {
    const std::string digits = draw.digits(9);
    int sum = 0;
    for (std::size_t i = 0; i < digits.size(); ++i)
        sum += (digits[i] - '0') * static_cast<int>(10 - i);
    const int check = (11 - sum % 11) % 11;
    return digits + (check == 10 ? "X" : std::to_string(check));
}

std::string dashed_isbn(Draw& draw) {
    std::string text = isbn13(draw);
    for (const std::size_t at : {12U, 9U, 4U, 3U})
        text.insert(at, "-");
    return text;
}

using Make = std::string (*)(Draw&);

constexpr Make kIds[] = {
    [](Draw& d) { return "sha256:" + d.hex(64); },
    [](Draw& d) { return "commit " + d.hex(40) + " fixes the build"; },
    [](Draw& d) { return fmt::format("{}  backup/{}.tar.gz", d.hex(32), d.lower(7)); },
    [](Draw& d) { return "request " + uuid(d) + " took " + d.digits(3) + " ms"; },
    [](Draw& d) { return "{" + uuid(d) + "}"; },
    [](Draw& d) {
        return fmt::format("run {}{:02}{:02}-{}-{} is done", d.number(2020, 2030), d.number(1, 12),
                           d.number(1, 28), d.digits(6), d.hex(6));
    },
    [](Draw& d) { return "ISBN " + isbn13(d); },
    [](Draw& d) { return "ISSN " + d.digits(4) + "-" + d.digits(4); },
    [](Draw& d) { return "SKU " + d.digits(3) + "-" + d.digits(3) + "-" + d.digits(4); },
    [](Draw& d) { return "part no. 0" + d.digits(4) + "-" + d.digits(5); },
    [](Draw& d) { return "chatcmpl-" + d.key(29) + ", req_" + d.key(24); },
    [](Draw& d) { return "trace 00-" + d.hex(32) + "-" + d.hex(16) + "-01"; },
    [](Draw& d) { return "ISBN-10: " + isbn10(d); },
    [](Draw& d) { return "see " + dashed_isbn(d) + ", chapter 3"; },
    [](Draw& d) { return fmt::format("order no. {} was shipped", d.digits(10)); },
    [](Draw& d) { return fmt::format("order {}-{}-{}", d.digits(3), d.digits(7), d.digits(7)); },
    [](Draw& d) { return fmt::format("tracking 1Z{}{}", d.upper(6), d.digits(8)); },
    [](Draw& d) { return fmt::format("ticket #{} of customer {}", d.digits(8), d.digits(6)); },
    [](Draw& d) {
        return "MAC " + fmt::format("{}:{}:{}:{}:{}:{}", d.hex(2), d.hex(2), d.hex(2), d.hex(2),
                                    d.hex(2), d.hex(2));
    },
    [](Draw& d) { return "doi:10." + d.digits(4) + "/s" + d.digits(5) + "-020-" + d.digits(4); },
    [](Draw& d) { return "arXiv:" + d.digits(4) + "." + d.digits(5) + "v2"; },
    [](Draw& d) { return "data:image/png;base64,iVBORw0KGgo" + d.base64(120) + "=="; },
    [](Draw& d) { return "etag: W/\"" + d.hex(16) + "\""; },
    [](Draw& d) { return "pod web-" + d.hex(9) + "-" + d.lower(5) + " is ready"; },
    [](Draw& d) { return "model gpt-4o-2024-08-06, fingerprint fp_" + d.hex(10); },
};

constexpr Make kNumbers[] = {
    [](Draw& d) { return fmt::format("${}.{}", d.number(1, 9999), d.digits(2)); },
    [](Draw& d) {
        return fmt::format("EUR {},{}.{} net", d.number(1, 999), d.digits(3), d.digits(2));
    },
    [](Draw& d) { return fmt::format("{} 000 000 people", d.number(2, 900)); },
    [](Draw& d) { return "born on " + date(d); },
    [](Draw& d) {
        return fmt::format("{:02}/{:02}/{}", d.number(1, 28), d.number(1, 12),
                           d.number(1950, 2030));
    },
    [](Draw& d) {
        return fmt::format("{:02}.{:02}.{}", d.number(1, 28), d.number(1, 12),
                           d.number(1950, 2030));
    },
    [](Draw& d) { return date(d) + "T" + time(d) + "." + d.digits(3) + "Z"; },
    [](Draw& d) { return "at " + time(d) + " and again at " + time(d); },
    [](Draw& d) { return fmt::format("epoch 17{} s, 17{} ms", d.digits(8), d.digits(11)); },
    [](Draw& d) {
        return fmt::format("{}.{}° N, {}.{}° E", d.number(1, 89), d.digits(6), d.number(1, 179),
                           d.digits(6));
    },
    [](Draw& d) {
        return fmt::format("x = {}.{} + {} * {}", d.number(1, 99), d.digits(6), d.number(1, 9999),
                           d.digits(4));
    },
    [](Draw& d) {
        return fmt::format("{} / {} = {}.{}", d.digits(5), d.digits(3), d.digits(2), d.digits(8));
    },
    [](Draw& d) {
        return "pi is 3.14159265358979, e is 2.71828182845905, c " + d.digits(9) + " m/s";
    },
    [](Draw& d) {
        return fmt::format("p50 {}.{} ms, p95 {}.{} ms", d.digits(3), d.digits(3), d.digits(4),
                           d.digits(3));
    },
    [](Draw& d) {
        return fmt::format("tokens: {} in, {} out, {} total", d.digits(4), d.digits(3),
                           d.digits(4));
    },
    [](Draw& d) {
        return fmt::format("{}, {}, {}, {}, {}", d.digits(2), d.digits(3), d.digits(2), d.digits(4),
                           d.digits(1));
    },
    [](Draw& d) {
        return fmt::format("{} {} {} {}", d.number(1990, 2030), d.number(1990, 2030),
                           d.number(1990, 2030), d.number(1990, 2030));
    },
    [](Draw& d) {
        return fmt::format("version {}.{}.{}.{}", d.number(1, 20), d.number(0, 20), d.number(0, 99),
                           d.number(0, 200));
    },
    [](Draw& d) {
        return fmt::format("v{}.{}.{}-rc{}", d.number(0, 20), d.number(0, 20), d.number(0, 99),
                           d.number(1, 9));
    },
    [](Draw& d) {
        return fmt::format("lib-{}.{}.{}.{}.jar", d.number(0, 20), d.number(0, 20), d.number(0, 99),
                           d.number(1, 9));
    },
    [](Draw& d) {
        return fmt::format("pkg=={}.{}.{}.{}", d.number(0, 20), d.number(0, 20), d.number(0, 99),
                           d.number(1, 9));
    },
    [](Draw& d) { return fmt::format("{}x{} px, {} dpi", d.digits(4), d.digits(4), d.digits(3)); },
    [](Draw& d) { return fmt::format("{} bytes in {} files", d.digits(12), d.digits(5)); },
    [](Draw& d) { return fmt::format("{:e} mol, {}%", d.number(1, 99999) / 7.0, d.number(1, 99)); },
};

constexpr Make kCode[] = {
    [](Draw& d) {
        return fmt::format("for (int i = 0; i < {}; ++i) sum += a[i] * {};", d.digits(4),
                           d.digits(2));
    },
    [](Draw& d) { return "color: #" + d.hex(6) + "; background: #" + d.hex(3); },
    [](Draw& d) {
        return "rgba(" + d.digits(2) + ", " + d.digits(2) + ", " + d.digits(2) + ", 0.5)";
    },
    [](Draw& d) { return R"({"id": ")" + d.hex(24) + R"(", "n": )" + d.digits(5) + "}"; },
    [](Draw& d) {
        return R"({"token": ")" + d.lower(6) + R"(", "logprob": -0.)" + d.digits(6) + "}";
    },
    [](Draw& d) { return R"({"max_tokens": )" + d.digits(4) + R"(, "token_type": "Bearer"})"; },
    [](Draw&) { return std::string("password = os.environ[\"DB_PASSWORD\"]"); },
    [](Draw&) { return std::string("def login(user: str, password: str, token=None) -> bool:"); },
    [](Draw& d) { return "self.token = self.next_token()  # line " + d.digits(3); },
    [](Draw&) { return std::string("const apiKey = process.env.API_KEY;"); },
    [](Draw&) { return std::string("export API_KEY=${API_KEY:-none}"); },
    [](Draw&) { return std::string("password: ${DB_PASSWORD}"); },
    [](Draw&) { return std::string(R"(fields = ["username", "password", "email"])"); },
    [](Draw&) { return std::string(R"({"name": "token", "value": "integer"})"); },
    [](Draw& d) { return R"(writer.key("p)" + d.digits(2) + R"(_latency_of_5xx_replies");)"; },
    [](Draw& d) { return "docker run -p " + d.digits(4) + ":80, mkdir -p build/v2a" + d.lower(4); },
    [](Draw& d) { return "f(x)=20x+3, a=40, b=" + d.digits(5) + ", 3%20 of it"; },
    [](Draw& d) { return "pass = " + d.digits(2) + ", fail = " + d.digits(1); },
    [](Draw& d) { return "std::vector<std::string> v" + d.digits(1) + "; a::b::c(dead::beef);"; },
    [](Draw& d) {
        return fmt::format("SELECT * FROM t{} WHERE primary_key = {}", d.digits(2), d.digits(9));
    },
    [](Draw& d) { return "https://example.org/a/" + d.lower(8) + "?page=" + d.digits(2) + "#top"; },
    [](Draw& d) { return "git@github.com:org/" + d.lower(6) + ".git"; },
    [](Draw& d) { return "/usr/lib/x86_64-linux-gnu/lib" + d.lower(6) + ".so." + d.digits(1); },
    [](Draw& d) { return R"(C:\Users\me\new_)" + d.lower(5) + R"(\table.txt)"; },
    [](Draw& d) { return "<img src=\"icon@2x.png\" width=\"" + d.digits(3) + "\">"; },
    [](Draw& d) { return "0x" + d.hex(8) + " 0x" + d.hex(16); },
    [](Draw& d) { return "snake_case_name_" + d.digits(2) + " and kebab-case-name-" + d.lower(4); },
    [](Draw& d) { return "cache_key=user:" + d.digits(3) + ":profile"; },
    [](Draw& d) { return R"(\frac{)" + d.digits(2) + "}{" + d.digits(2) + R"(} \cdot \alpha)"; },
    [](Draw& d) { return "100%25 of " + d.digits(2) + "% &amp; more &lt;b&gt;"; },
};

constexpr Make kProse[] = {
    [](Draw& d) {
        return date(d) + " " + time(d) + " INFO worker-" + d.digits(1) + " took 12 jobs in 34 ms";
    },
    [](Draw& d) {
        return "INFO listening on 127.0.0.1:" + d.digits(4) + " and [::1]:" + d.digits(4);
    },
    [](Draw& d) {
        return "ok " + d.digits(3) + " - PASS: test_" + d.lower(7) + " (0.0" + d.digits(1) + "s)";
    },
    [](Draw& d) { return "The password must have at least " + d.digits(1) + " characters."; },
    [](Draw&) { return std::string("Password: required. Token: optional, expires after a day."); },
    [](Draw&) { return std::string("The bearer of this letter asked for basic arithmetic."); },
    [](Draw& d) { return "Chapter " + d.digits(1) + ": The secret garden; see section 3.1.2.4."; },
    [](Draw& d) {
        return "He scored " + d.digits(2) + "-" + d.digits(2) + " in the final of " +
               std::to_string(d.number(1960, 2024)) + ".";
    },
    [](Draw& d) { return "Chrome/120.0.0.0 Safari/537.36 Edg/120.0." + d.digits(4) + ".61"; },
    [](Draw& d) { return "Follow @" + d.lower(7) + " or #topic" + d.digits(2) + "!"; },
    [](Draw& d) {
        return "Room " + d.digits(3) + ", floor " + d.digits(1) + ", building B" + d.digits(2);
    },
    [](Draw& d) { return "H2SO4 + 2 NaOH -> Na2SO4 + 2 H2O at " + d.digits(2) + " °C"; },
};

}  // namespace

std::vector<std::string> innocent_corpus() {
    std::vector<Make> makes;
    for (const auto& part : {std::pair(std::begin(kIds), std::end(kIds)),
                             std::pair(std::begin(kNumbers), std::end(kNumbers)),
                             std::pair(std::begin(kCode), std::end(kCode)),
                             std::pair(std::begin(kProse), std::end(kProse))})
        makes.insert(makes.end(), part.first, part.second);
    Draw draw(21);
    std::vector<std::string> texts;
    while (texts.size() < 2000)
        texts.push_back(makes[texts.size() % makes.size()](draw));
    return texts;
}

}  // namespace evalfleet::testing
