// The runs of one name over time, as series and marks of charts.

/** The metrics that are drawn, in the order of the page. */
export const METRICS = [
  {name: 'pass_rate', title: 'Pass rate', unit: 'share'},
  {name: 'aggregate_score', title: 'Aggregate score', unit: 'score'},
  {name: 'faithfulness_failure_rate', title: 'Faithfulness failures', unit: 'share'},
  {name: 'latency_e2e_p95_ms', title: 'Latency p95', unit: 'ms'},
];

/** [[place, value, lower, upper]...] of a metric over points, the oldest first. */
export function seriesOf(points, name) {
  return points.map((point, place) => {
    const metric = point.metrics?.[name] ?? {
      value: point[name],
      ci95_lower: point[`${name}_ci95_lower`],
      ci95_upper: point[`${name}_ci95_upper`],
    };
    return [
      place,
      numberOf(metric.value ?? metric.observed),
      numberOf(metric.ci95_lower),
      numberOf(metric.ci95_upper),
    ];
  });
}

const numberOf = (value) => (Number.isFinite(value) ? value : NaN);

/** The range of the axis: of what goes up to 1 only the part that is used, so that intervals can be seen. */
export function rangeOf(series, {name}) {
  if (name !== 'pass_rate' && name !== 'aggregate_score') return undefined;
  const least = Math.min(1, ...series.flatMap(([, ...values]) => values.filter(Number.isFinite)));
  return [Math.max(0, Math.floor(least * 10 - 0.5) / 10), 1];
}

/** Where something changed against the run before: [{x, text}]. `changed` is a list of names, or an object by name. */
export function marksOf(points) {
  return points.flatMap((point, place) => {
    const changed = Array.isArray(point.changed)
      ? point.changed
      : Object.keys(point.changed ?? {}).filter((name) => point.changed[name]);
    return place > 0 && changed.length > 0 ? [{x: place, text: `${changed.join(', ')} changed`}] : [];
  });
}
