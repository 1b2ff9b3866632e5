// What the gates say together, in words.
import {count, inUnit, words} from '../core/format.js';
import {verdictOf} from './runs.js';

const TITLES = {
  latency_e2e_p95_ms: 'latency (95th percentile)',
  pass_rate: 'pass rate',
  faithfulness_failure_rate: 'faithfulness failure rate',
  aggregate_score: 'aggregate score',
};
const titleOf = (name) => TITLES[name] ?? words(name);

const UNITS = {
  latency_e2e_p95_ms: 'ms',
  pass_rate: 'share',
  faithfulness_failure_rate: 'share',
  aggregate_score: 'score',
};

/** The unit of a gate's figures: its own, or by its name. */
export const gateUnit = (gate) =>
  ({rate: 'share', share: 'share', score: 'score', ms: 'ms'})[gate.unit] ?? UNITS[gate.name] ?? 'score';

const DOUBTS = {
  interval: 'the interval reaches across the threshold',
  small_sample: 'too few samples for an interval',
  few_samples: 'so few samples could look like this by chance',
  unscored: 'it turns with answers that have no score',
  unmeasured: 'it turns with trials that were not measured',
};

const isPair = (lower, upper) => Number.isFinite(lower) && Number.isFinite(upper);

/** The interval of a gate's figure, and of a latency that of the share of trials above the limit, which decides it. */
export function intervalText(gate, summary) {
  const unit = gateUnit(gate);
  const hasOwn = isPair(gate.ci95_lower, gate.ci95_upper);
  const own = hasOwn && `95 % CI ${inUnit(gate.ci95_lower, unit)} to ${inUnit(gate.ci95_upper, unit)}`;
  if (!isPair(gate.share_over_ci95_lower, gate.share_over_ci95_upper)) return own || noInterval(gate, summary);
  const share = `${shareOver(gate)} of all trials above the limit (5\u00a0%\u00a0allowed)`;
  return own ? `${own}; ${share}` : share;
}

const shareOver = (gate) =>
  `${inUnit(gate.share_over_ci95_lower, 'share')} to ${inUnit(gate.share_over_ci95_upper, 'share')}`;

function noInterval(gate, summary) {
  const why = gate.name === 'latency_e2e_p95_ms' ? summary?.extra?.latency_e2e_p95_ci95_reason : null;
  return why ? `no interval: ${why}` : 'no interval';
}

/** What kind of intervals these are, and why nothing is decided although it could be. */
export function intervalNote(live, summary) {
  if (live.intervals !== 'always_valid')
    return 'Each 95 % CI is of a run that went to its end: it holds for one look.';
  const samples = `the first ${count(live.interval_samples)} samples of the run`;
  if (summary)
    return [
      `The run ended early: each 95 % CI is of ${samples} and always valid,`,
      'all four together, whatever made it end.',
    ].join(' ');
  const note = live.gates_note ? ` Nothing is decided: ${live.gates_note}.` : '';
  return [
    `Each 95 % CI is of ${samples} and always valid: it holds however often you look, all four together.`,
    `Decided is wrong in at most 5 of 100 runs.${note}`,
  ].join(' ');
}

// What follows from another reason is not said besides it.
const COVERED = {interval: ['small_sample'], few_samples: ['small_sample', 'interval']};

/** Why a gate is not decided, in words that fit the intervals beside them. */
export const doubtText = (reasons, gate) =>
  [...new Set(reasons)]
    .filter((reason) => !COVERED[reason]?.some((other) => reasons.includes(other)))
    .map((reason) => doubt(reason, gate))
    .join('; ');

// The latency's own interval has no part in it: it may lie whole on one side.
function doubt(reason, gate) {
  if (reason !== 'interval' || gate?.name !== 'latency_e2e_p95_ms') return DOUBTS[reason] ?? words(reason);
  return isPair(gate.share_over_ci95_lower, gate.share_over_ci95_upper)
    ? 'the share of trials above the limit may be on either side of 5 %'
    : 'too few trials to say how many are above the limit';
}

/** Why a gate of `extra.gates_decided` is open, and what would decide it; null if it is not. */
export function openText(decision, gate) {
  const why = decision?.open_because ?? [];
  if (why.length === 0) return null;
  const needed = decision.samples_needed
    ? `; about ${count(decision.samples_needed)} samples would decide it (more repeats would not)`
    : '';
  return `open: ${doubtText(why, gate)}${needed}`;
}

/** {headline, sentence} about a run that is over. */
export function verdictText(run, summary) {
  const verdict = verdictOf(run);
  if (run.state === 'failed') return {headline: 'Failed', sentence: run.note ?? 'The run could not be carried out.'};
  if (verdict === 'not_measured')
    return {headline: 'Not measured', sentence: run.note ?? 'Too little was measured for a verdict.'};
  if (!summary) return {headline: verdict === 'ready' ? 'Ready' : 'Not ready', sentence: run.note ?? ''};
  const failed = Object.entries(summary.gates)
    .filter(([, gate]) => !gate.passed)
    .map(([name]) => titleOf(name));
  const open = Object.entries(summary.extra?.gates_decided ?? {})
    .filter(([, gate]) => !gate.decided)
    .map(([name]) => titleOf(name));
  const held =
    failed.length === 0
      ? 'All four gates hold'
      : `${failed.length} of 4 gates ${failed.length === 1 ? 'does' : 'do'} not hold: ${failed.join(', ')}`;
  const sure =
    open.length === 0
      ? 'every gate is decided beyond chance'
      : `not decided beyond chance: ${open.join(', ')}; more samples could turn ${open.length === 1 ? 'it' : 'them'}`;
  const measured =
    run.measured && run.measured !== 'complete'
      ? ` The measurement is ${words(run.measured)}${run.note ? `: ${run.note}` : ''}.`
      : '';
  return {headline: verdict === 'ready' ? 'Ready for release' : 'Not ready', sentence: `${held}; ${sure}.${measured}`};
}
