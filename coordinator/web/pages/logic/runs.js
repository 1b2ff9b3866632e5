// What the page of runs knows about runs: pure functions over RUN objects of the API.

const OVER = new Set(['done', 'cancelled', 'failed']);
export const isOver = (run) => OVER.has(run.state);

/** ready, not_ready, not_measured or open. */
export function verdictOf(run) {
  if (run.verdict && run.verdict !== 'open') return run.verdict;
  if (run.release_ready === true) return 'ready';
  if (run.measured === 'not_measured') return 'not_measured';
  return run.release_ready === false ? 'not_ready' : 'open';
}

/** The runs with `changed` in the place of the one it replaces; null if it is not among them. */
export function replaced(runs, changed) {
  const place = runs.findIndex((run) => run.run_id === changed.run_id);
  if (place < 0) return null;
  const next = runs.slice();
  next[place] = {...runs[place], ...changed};
  return next;
}

/** Whether a run is newer than all of `runs`: ids begin with the time of submission. */
export const isNewer = (run, runs) => runs.every((other) => run.run_id > other.run_id);

/** By name, the pass rates of runs that are over, the oldest first, at most `most`: for sparklines. */
export function histories(runs, most = 12) {
  const byName = new Map();
  for (const run of runs) {
    if (!run.name || !isOver(run) || !Number.isFinite(run.pass_rate)) continue;
    const points = byName.get(run.name) ?? [];
    if (points.length < most) points.unshift({value: run.pass_rate, verdict: verdictOf(run), run_id: run.run_id});
    byName.set(run.name, points);
  }
  return byName;
}

/** What to tell about the time of a run: {text, title}. */
export function timeLeft(run, formatDuration) {
  if (isOver(run)) return {text: formatDuration(run.elapsed_s), title: 'took'};
  if (Number.isFinite(run.eta_s)) return {text: `${formatDuration(run.eta_s)} left`, title: 'expected'};
  return {text: formatDuration(run.elapsed_s), title: 'so far'};
}

/** Shares of a run's trials for its progress bar, in percent: done, in flight, waiting. */
export function progressOf(run) {
  const total = run.total || 1;
  const share = (value) => Math.min(100, 100 * (value ?? 0) / total);
  const done = share(run.done);
  return {done, flight: Math.min(share(run.in_flight), 100 - done),
    waiting: Math.min(share((run.waiting ?? 0) + (run.retrying ?? 0)), 100 - done)};
}

/** The address of a comparison: the oldest of the runs is the base. */
export function compareAddress(ids) {
  const [base, ...candidates] = [...ids].sort();
  return `/compare?base=${encodeURIComponent(base)}&candidate=${candidates.map(encodeURIComponent).join(',')}`;
}
