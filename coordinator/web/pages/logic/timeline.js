// The timeline of a run as series of charts.

/** The limit of the latency if the latencies come anywhere near it; drawn far above them it would press them flat. */
export function limitInSight(points, limit) {
  const most = Math.max(0, ...points.map((point) => point.latency_p95_ms ?? 0));
  return Number.isFinite(limit) && limit <= most * 3 ? limit : undefined;
}

/** The most frequent kinds of errors, at most five, as [{kind, points: [[t_s, count]...]}]. */
export function errorSeries(points) {
  const totals = new Map();
  for (const point of points) {
    for (const [kind, count] of Object.entries(point.errors ?? {})) totals.set(kind, (totals.get(kind) ?? 0) + count);
  }
  return [...totals].filter(([, total]) => total > 0).sort((a, b) => b[1] - a[1]).slice(0, 5)
    .map(([kind]) => ({kind, points: points.map((point) => [point.t_s, point.errors?.[kind] ?? 0])}));
}
