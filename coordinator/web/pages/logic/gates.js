// What the gates say together, in words.
import {words} from '../core/format.js';
import {verdictOf} from './runs.js';

const UNITS = {latency_e2e_p95_ms: 'ms', pass_rate: 'share', faithfulness_failure_rate: 'share', aggregate_score: 'score'};

/** The unit of a gate's figures: its own, or by its name. */
export const gateUnit = (gate) => ({rate: 'share', share: 'share', score: 'score', ms: 'ms'}[gate.unit] ?? UNITS[gate.name] ?? 'score');

const DOUBTS = {interval: 'the interval reaches across the threshold', small_sample: 'too few samples for an interval', few_samples: 'too few samples',
  unscored: 'it turns with answers that have no score', unmeasured: 'it turns with trials that were not measured'};

/** Why a gate is not decided, in words. */
export const doubtText = (reasons) => [...new Set(reasons.map((reason) => DOUBTS[reason] ?? words(reason)))].join('; ');

/** {headline, sentence} about a run that is over. */
export function verdictText(run, summary) {
  const verdict = verdictOf(run);
  if (run.state === 'failed') return {headline: 'Failed', sentence: run.note ?? 'The run could not be carried out.'};
  if (verdict === 'not_measured') return {headline: 'Not measured', sentence: run.note ?? 'Too little was measured for a verdict.'};
  if (!summary) return {headline: verdict === 'ready' ? 'Ready' : 'Not ready', sentence: run.note ?? ''};
  const failed = Object.entries(summary.gates).filter(([, gate]) => !gate.passed).map(([name]) => words(name));
  const open = Object.entries(summary.extra?.gates_decided ?? {}).filter(([, gate]) => !gate.decided).map(([name]) => words(name));
  const held = failed.length === 0 ? 'All four gates hold' : `${failed.length} of 4 gates ${failed.length === 1 ? 'does' : 'do'} not hold: ${failed.join(', ')}`;
  const sure = open.length === 0 ? 'every gate is decided beyond chance'
    : `not decided beyond chance: ${open.join(', ')}; more samples could turn ${open.length === 1 ? 'it' : 'them'}`;
  const measured = run.measured && run.measured !== 'complete' ? ` The measurement is ${words(run.measured)}${run.note ? `: ${run.note}` : ''}.` : '';
  return {headline: verdict === 'ready' ? 'Ready for release' : 'Not ready', sentence: `${held}; ${sure}.${measured}`};
}
