// The slices of a summary as rows of a forest plot.

/** [{key, name, value, lower, upper, count, p, look, filter}], the lowest pass rate of each kind first. */
export function slicesOf(summary) {
  const tests = summary.extra?.slice_tests ?? {};
  const out = rowsOf('task type', summary.slices.task_type, tests.task_type, (value) => ({task_type: value}));
  for (const [tag, values] of Object.entries(summary.slices.tags ?? {})) {
    out.push(...rowsOf(tag, values, tests.tags?.[tag], (value) => ({tag: `${tag}:${value}`})));
  }
  return out;
}

function rowsOf(kind, blocks, tests, filter) {
  return Object.entries(blocks ?? {}).map(([value, {rubric}]) => {
    const p = tests?.[value]?.rubric_pass_rate_p_value_bh ?? NaN;
    return {key: `${kind}=${value}`, name: `${kind}: ${value}`, value: rubric.pass_rate, lower: rubric.pass_rate_ci95_lower,
      upper: rubric.pass_rate_ci95_upper, count: rubric.total_count, p, filter: filter(value), look: p < 0.05 ? 'bad' : 'open'};
  }).sort((a, b) => (a.value ?? 2) - (b.value ?? 2));
}

/** Slices of two summaries that both have, by how far their pass rates lie apart, at most `most`. */
export function movedSlices(base, candidate, most = 12) {
  const before = new Map(slicesOf(base).map((slice) => [slice.key, slice]));
  return slicesOf(candidate).filter((slice) => before.has(slice.key) && Number.isFinite(slice.value)
    && Number.isFinite(before.get(slice.key).value))
    .map((slice) => ({...slice, before: before.get(slice.key).value, difference: slice.value - before.get(slice.key).value}))
    .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference)).slice(0, most);
}
