#include "coordinator/report/html_script.hpp"

#include "common/job/manifest.hpp"

#include <cstdint>

namespace evalfleet::report {

const std::string_view kHtmlScript = R"JS(
"use strict";
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  opened.forEach((one) => { one.open = true; });
});
addEventListener("afterprint", () => opened.forEach((one) => { one.open = false; }));
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].dataset.k;
      const compare = (a, b) => {
        const x = key(a), y = key(b);
        if (x === undefined && y === undefined)
          return a.cells[column].textContent.localeCompare(b.cells[column].textContent);
        if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
        return Number(x) - Number(y);
      };
      const rows = [...body.rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
      body.replaceChildren(...rows);
    });
  });
}
)JS";

namespace {

// RFC 4648, of whole bytes given in hex.
std::string base64_of_hex(std::string_view hex) {
    constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char digit : hex) {
        bits = (bits << 4) | static_cast<std::uint32_t>(kDigits.find(digit));
        count += 4;
        if (count < 6) continue;
        count -= 6;
        out += kLetters[(bits >> count) & 63U];
    }
    if (count > 0) out += kLetters[(bits << (6 - count)) & 63U];
    while (out.size() % 4 != 0)
        out += '=';
    return out;
}

}  // namespace

std::string html_script_source() {
    return "'sha256-" + base64_of_hex(job::sha256_hex(kHtmlScript)) + "'";
}

}  // namespace evalfleet::report
