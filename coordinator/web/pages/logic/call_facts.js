// What became of the calls of one trial, the model's and the judge's, as texts.
import {count, usd, words} from '../core/format.js';

const listed = (names) => (names?.length ? names.join(', ') : null);

/** Why replies of the judge were rejected, a line each; null if none was. */
export function rejectedReplies(record) {
  const faults = record.evaluator_reply_faults ?? [];
  return faults.length === 0 ? null : faults.map((fault, index) => `${index + 1}. ${fault}`).join('\n');
}

function tokens(record) {
  const thought = record.reasoning_tokens ? ` (${count(record.reasoning_tokens)} reasoning)` : '';
  return `${count(record.input_tokens)} in, ${count(record.output_tokens)} out${thought}`;
}

function attempts(total, failed) {
  const tried = Object.entries(failed ?? {}).map(([kind, n]) => `${n} × ${words(kind)}`).join(', ');
  return tried ? `${count(total)} (${tried})` : count(total);
}

/** Pairs of name and value; what a trial has not is left out. */
export function callFacts(record) {
  return [
    ['Tokens', tokens(record)], ['Cost', usd(record.cost_usd)],
    ['Attempts', attempts(record.attempts, record.failed_attempts)],
    ['Finish reason', record.finish_reason ?? '–'], ['Left out of the request', listed(record.refused_parameters)],
    ['Model', record.model_reported ?? '–'], ['HTTP status', record.http_status || null],
    ['Error kind', record.error_kind ? words(record.error_kind) : null],
    ['Judge attempts', attempts(record.evaluator_attempts, record.evaluator_failed_attempts)],
    ["Judge's finish reason", record.evaluator_finish_reason ?? null],
    ["Left out of the judge's request", listed(record.evaluator_refused_parameters)],
    ["Cost of the judge", record.evaluator_cost_usd === undefined || record.evaluator_cost_usd === null ? null
      : usd(record.evaluator_cost_usd)],
  ].filter(([, value]) => value !== null);
}
