// The phases of a trial in the order they happen, from the `timing` of its record.

const PHASES = [
  ['queue', 'Queue', 'queue_wait_ms', 'waited in Redis for a worker'],
  ['permit', 'Permit', 'permit_wait_ms', 'waited for the limit of the provider'],
  ['retry', 'Retries', 'retry_wait_ms', 'waited between attempts'],
  ['connect', 'Connect', 'connect_ms', 'opened the connection of the last attempt'],
  ['first-byte', 'First byte', 'first_byte_ms', 'from the request to the first byte of the reply'],
  ['model', 'Model', 'model_ms', 'the time of the model as well as it is known'],
  ['judge', 'Judge', 'judge_ms', 'asked the judge'],
];

/**
 * {phases: [{name, title, about, begin, length}], total, bound}. The model's time holds the wait for the first
 * byte, so
 * that begins where the model begins; all others follow each other.
 */
export function waterfallOf(record) {
  const timing = record.timing ?? {};
  const phases = [];
  let at = 0;
  let callEnd = 0;
  for (const [name, title, member, about] of PHASES) {
    const length = timing[member];
    if (!Number.isFinite(length)) continue;
    if (name === 'judge') at = Math.max(at, callEnd);
    phases.push({name, title, about, begin: at, length});
    if (name === 'first-byte' || name === 'model') callEnd = Math.max(callEnd, at + length);
    else at += length;
  }
  const total = Math.max(1e-6, ...phases.map((phase) => phase.begin + phase.length));
  return {phases, total, bound: Number.isFinite(record.timing_error_bound_ms) ? record.timing_error_bound_ms : null};
}
