// The slices of a summary as rows of a forest plot.

// What a slice's test found, by colour: only what was found is coloured.
const LOOKS = {lower: 'bad', higher: 'good', mixed: 'unsure', not_tested: 'faint'};

/**
 * [{key, name, value, lower, upper, samples, count, p, look, note, filter}], the lowest pass rate of each kind first.
 * Intervals are those of the slice's samples, not of its trials; `note` is why a slice was not tested.
 */
export function slicesOf(summary) {
  const tests = summary.extra?.slice_tests ?? {};
  const out = rowsOf('task type', summary.slices.task_type, tests.task_type, (value) => ({task_type: value}));
  for (const [tag, values] of Object.entries(summary.slices.tags ?? {})) {
    out.push(...rowsOf(tag, values, tests.tags?.[tag], (value) => ({tag: `${tag}:${value}`})));
  }
  return out;
}

function rowsOf(kind, blocks, tests, filter) {
  return Object.entries(blocks ?? {})
    .map(([value, {rubric}]) => {
      const test = tests?.[value] ?? {};
      return {
        key: `${kind}=${value}`,
        name: `${kind}: ${value}`,
        value: rubric.pass_rate,
        lower: test.rubric_pass_rate_ci95_lower,
        upper: test.rubric_pass_rate_ci95_upper,
        samples: test.samples,
        count: rubric.total_count,
        p: test.rubric_pass_rate_p_value_bh ?? NaN,
        look: LOOKS[test.verdict] ?? 'open',
        note: test.reason ?? undefined,
        filter: filter(value),
      };
    })
    .sort((a, b) => (a.value ?? 2) - (b.value ?? 2));
}

/**
 * Slices of two summaries that both have and that have samples enough, by how far their pass rates lie apart, at
 * most `most`.
 */
export function movedSlices(base, candidate, most = 12) {
  const before = new Map(slicesOf(base).map((slice) => [slice.key, slice]));
  const isShown = (slice) => slice && slice.look !== 'faint' && Number.isFinite(slice.value);
  return slicesOf(candidate)
    .filter((slice) => isShown(slice) && isShown(before.get(slice.key)))
    .map((slice) => ({
      ...slice,
      before: before.get(slice.key).value,
      difference: slice.value - before.get(slice.key).value,
    }))
    .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference))
    .slice(0, most);
}
