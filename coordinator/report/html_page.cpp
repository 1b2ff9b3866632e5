#include "coordinator/report/html_page.hpp"

#include "coordinator/report/escape.hpp"
#include "coordinator/report/html_script.hpp"
#include "coordinator/report/html_style.hpp"

#include <fmt/format.h>

namespace evalfleet::report {

std::string html_begin(std::string_view title) {
    std::string out =
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n";
    // Nothing may be loaded, and nothing run but our own script, whatever a model wrote.
    out += fmt::format(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src {}; base-uri 'none'; form-action 'none'\">\n",
        html_script_source());
    return out + fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
                             escape_markup(title), kHtmlStyle);
}

std::string html_end(std::string_view footer) {
    return fmt::format("<footer>{}</footer>\n</main>\n<script>{}</script>\n</body>\n</html>\n",
                       escape_markup(footer), kHtmlScript);
}

}  // namespace evalfleet::report
