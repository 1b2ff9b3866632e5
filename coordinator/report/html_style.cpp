#include "coordinator/report/html_style.hpp"

namespace evalfleet::report {

// Colours have a contrast of at least 4.5 to their ground in both schemes.
const std::string_view kHtmlStyle = R"CSS(
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --ink: #16202c; --soft: #586474; --line: #dfe4ea;
  --good: #0b7a47; --good-tint: #e3f5eb; --bad: #b3261e; --bad-tint: #fdeceb; --unsure: #8a5a00;
  --accent: #2b5fd9; --band: #c9d8fb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f141a; --card: #182029; --ink: #e7ecf2; --soft: #9aa7b5; --line: #2b3540;
    --good: #4cd08a; --good-tint: #12301f; --bad: #ff8a80; --bad-tint: #3a1917; --unsure: #e9b44c;
    --accent: #8ab0ff; --band: #2c4478;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  -webkit-text-size-adjust: 100%;
}
main { max-width: 68rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.05rem; font-weight: 600; margin: 0; color: var(--soft); overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; font-weight: 650; margin: 0 0 .75rem; letter-spacing: -.005em; }
.verdict { border-radius: 14px; padding: 1.5rem 1.75rem; background: var(--bad-tint);
  border: 1px solid color-mix(in srgb, var(--bad) 30%, transparent); }
.verdict.ready { background: var(--good-tint);
  border-color: color-mix(in srgb, var(--good) 30%, transparent); }
.verdict strong { display: block; font-size: 2.1rem; line-height: 1.2; font-weight: 750;
  letter-spacing: -.02em; color: var(--bad); margin: .1rem 0 .3rem; }
.verdict.ready strong { color: var(--good); }
.verdict p { margin: 0; max-width: 46rem; }
.gates { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1rem; margin: 1rem 0; padding: 0;
  list-style: none; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px;
  padding: 1.25rem 1.4rem; margin: 1rem 0; }
.gates .card { margin: 0; padding: 1.05rem 1.2rem; }
.gate-title { font-weight: 600; font-size: .92rem; color: var(--soft); }
.chip { font-size: .84rem; font-weight: 650; color: var(--bad); white-space: nowrap;
  letter-spacing: 0; }
.chip.good { color: var(--good); }
.gate-value { display: flex; justify-content: space-between; align-items: baseline; gap: .5rem;
  flex-wrap: wrap; font-size: 1.75rem; font-weight: 700; letter-spacing: -.02em; line-height: 1.3;
  font-variant-numeric: tabular-nums; }
.gate-note { font-size: .84rem; color: var(--soft); margin: .35rem 0 0; }
.unsure { color: var(--unsure); font-weight: 600; }
.scale { display: block; width: 100%; height: 22px; margin-top: .5rem; overflow: visible; }
.scale .rail { fill: var(--line); } .scale .band { fill: var(--band); }
.scale .dot { fill: var(--good); } .scale .dot.plain { fill: var(--accent); } .scale .dot.bad { fill: var(--bad); }
.scale .limit { stroke: var(--ink); stroke-width: 2; }
.warning { margin: 1rem 0 0; padding: .7rem 1.1rem; border-radius: 10px; border-left: 4px solid
  var(--unsure); background: var(--card); font-weight: 550; overflow-wrap: anywhere; }
.figures { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem; max-width: 54rem; }
figure { margin: 0 0 .75rem; } figcaption { color: var(--soft); font-size: .86rem; font-weight: 600; }
.chart { display: block; width: 100%; height: auto; }
.chart text { font-size: 11px; fill: var(--ink); text-anchor: middle; }
.chart text.axis { fill: var(--soft); } .chart text.after { text-anchor: start; }
.chart text.before { text-anchor: end; }
.chart line { stroke: var(--line); } .chart .count { fill: var(--accent); opacity: .8; }
.chart .good { fill: var(--good); } .chart .bad { fill: var(--bad); }
.chart .middle { fill: var(--unsure); } .chart .none { fill: var(--soft); }
.chart line.median, .chart line.high { stroke: var(--ink); stroke-width: 1.5; }
.chart line.limit { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 4 3; }
.sortable button { all: unset; cursor: pointer; }
.sortable button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.sortable [aria-sort="ascending"] button::after { content: " ▲"; }
.sortable [aria-sort="descending"] button::after { content: " ▼"; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.25rem; margin: 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(23rem, 1fr)); gap: 1rem; }
.columns .card { margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
th { font-weight: 600; color: var(--soft); font-size: .82rem; }
th, td { padding: .42rem .7rem .42rem 0; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: baseline; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
tbody tr:last-child > * { border-bottom: 0; }
tbody th { color: var(--ink); font-weight: 500; font-size: inherit; }
tbody tr.faint > * { color: var(--soft); font-style: italic; }
.left { text-align: left; white-space: normal; overflow-wrap: break-word; min-width: 7rem; }
.bar { width: 38%; min-width: 6rem; }
.bar span { display: block; height: .6rem; border-radius: .3rem; background: var(--accent);
  min-width: 2px; }
.note { color: var(--soft); font-size: .86rem; margin: .7rem 0 0; }
details { border-top: 1px solid var(--line); padding: .55rem 0; }
details:first-of-type { border-top: 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 4px; }
summary .label { color: var(--soft); font-size: .86rem; margin-left: .5rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .35rem 0 .8rem; padding: .7rem .9rem;
  background: var(--ground); border-radius: 8px; font: .85rem/1.5 ui-monospace, SFMono-Regular,
  Menlo, Consolas, monospace; max-height: 20rem; overflow: auto; }
.caption { color: var(--soft); font-size: .82rem; }
ul.notes { margin: 0; padding-left: 1.2rem; } ul.notes li { margin: .2rem 0; }
footer { color: var(--soft); font-size: .82rem; margin-top: 2rem; }
@media (max-width: 62rem) { .gates { grid-template-columns: repeat(2, 1fr); } }
.verdict.plain { background: var(--card); border-color: var(--line); }
.verdict.plain strong { color: var(--ink); overflow-wrap: anywhere; }
.finding { font-weight: 600; } .finding.bad { color: var(--bad); } .finding.good { color: var(--good); }
.metric { white-space: nowrap; }
.plot { width: 20%; min-width: 8rem; } .plot .scale { margin: 0; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
del { background: var(--bad-tint); } ins { background: var(--good-tint); }
h3 { font-size: .92rem; margin: .6rem 0 .2rem; }
h3 .label { color: var(--soft); font-size: .86rem; font-weight: 450; margin-left: .5rem; }
.prompt { border-top: 0; padding-top: 0; }
.prompt summary { color: var(--soft); font-size: .82rem; }
@media (max-width: 34rem) {
  main { padding: 1rem .75rem 3rem; }
  table.titled, .titled tbody, .titled tr, .titled td, .titled th[scope="row"] { display: block; }
  .titled thead { display: none; }
  .titled tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .titled tbody tr:last-child { border-bottom: 0; }
  .titled td, .titled th[scope="row"] { border: 0; padding: .1rem 0; white-space: normal;
    text-align: left; overflow-wrap: anywhere; min-width: 0; }
  .titled td:empty { display: none; }
  .titled td[data-t] { display: flex; justify-content: space-between; gap: 1rem; text-align: right; }
  .titled td[data-t]::before { content: attr(data-t); color: var(--soft); text-align: left;
    flex: none; max-width: 50%; }
  .titled .bar, .titled td.plot { width: 100%; }
  .gates { grid-template-columns: 1fr; }
  .columns, .figures, .sides { grid-template-columns: 1fr; } .facts { grid-template-columns: 1fr; gap: 0; }
  .facts dd { margin-bottom: .5rem; }
}
@media print {
  :root { color-scheme: light; --ground: #fff; --card: #fff; --ink: #000; --soft: #444;
    --line: #ccc; --good: #0b7a47; --good-tint: #fff; --bad: #b3261e; --bad-tint: #fff;
    --unsure: #8a5a00; --accent: #2b5fd9; --band: #c9d8fb; }
  main { max-width: none; padding: 0; }
  .verdict, .gates .card, figure, tr { break-inside: avoid; }
  h2, h3, thead, summary, .caption { break-after: avoid; }
  pre { max-height: none; overflow: visible; }
  .scroll { overflow: visible; }
  table { font-size: 7.5pt; } th { font-size: 7pt; } .plot { min-width: 4rem; }
  th, td { white-space: normal; padding-right: .35rem; } .left { min-width: 4.5rem; }
  .card { border: 0; padding: 0; }
  details::details-content { content-visibility: visible; display: block; }
}
)CSS";

}  // namespace evalfleet::report
