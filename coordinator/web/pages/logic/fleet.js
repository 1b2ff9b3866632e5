// What workers hold, and what is wrong with the fleet: warnings, each with the runbook that says what to do.
import {count} from '../core/format.js';

const LOW_MEMORY = 0.85;
const OLD_JOB_S = 900;
const LAGGING_MS = 100;
const LATELY_S = 60;

const several = (n, one) => `${count(n)} ${one}${n === 1 ? '' : 's'}`;

/** A trial that waits between two attempts lends its slot out, so there may be more trials than slots. */
export const heldText = (held, slots) => `${several(held, 'trial')}, ${several(slots, 'slot')}`;

/** [{text, runbook, look}] from the replies of /workers and /queues. */
export function warningsOf(workers, queues) {
  const out = [];
  const add = (text, runbook, look = '') => out.push({text, runbook, look});
  const redis = queues?.redis ?? {};
  if (redis.reachable === false) add('Redis does not answer.', 'EvalfleetRedisUnreachable', 'bad');
  if (redis.memory_full) add('Redis has no memory left and refuses writes.', 'EvalfleetRedisNearMaxmemory', 'bad');
  else if (redis.max_bytes > 0 && redis.used_bytes / redis.max_bytes > LOW_MEMORY) {
    add(
      `Redis uses ${Math.round((100 * redis.used_bytes) / redis.max_bytes)} % of its memory.`,
      'EvalfleetRedisNearMaxmemory',
    );
  }
  const outstanding = (queues?.runs ?? []).reduce((sum, run) => sum + (run.outstanding ?? 0), 0);
  if (workers && workers.length === 0)
    add(
      outstanding > 0 ? 'There are jobs and no workers.' : 'There are no workers.',
      'EvalfleetNoWorkers',
      outstanding > 0 ? 'bad' : '',
    );
  for (const worker of workers ?? []) {
    if (worker.loop_lag_ms > LAGGING_MS)
      add(
        `Worker ${worker.name} lags by ${Math.round(worker.loop_lag_ms)} ms: too many slots for its processor.`,
        'EvalfleetQueueStalled',
      );
  }
  for (const worker of workers ?? []) {
    for (const [provider, why] of Object.entries(worker.unreachable ?? {}))
      add(`Worker ${worker.name} does not reach ${provider}: ${why}`, 'EvalfleetProviderFailing', 'bad');
  }
  for (const run of queues?.runs ?? []) {
    if (run.oldest_job_s > OLD_JOB_S)
      add(
        `The oldest job of ${run.run_id} waits for ${Math.round(run.oldest_job_s / 60)} min.`,
        'EvalfleetOldestJobTooOld',
      );
  }
  for (const limit of queues?.limits ?? []) {
    const lately = Number.isFinite(limit.refused_s_ago) && limit.refused_s_ago < LATELY_S;
    if (limit.refused > 0 && (lately || limit.waiting > 0))
      add(
        `${limit.limit_key} throttles: ${limit.refused} calls refused, ${
          limit.waiting
        } wait for a permit${limit.reason ? ` (${limit.reason})` : ''}.`,
        'EvalfleetProviderThrottled',
      );
  }
  const store = queues?.store;
  if (store?.total_bytes > 0 && store.free_bytes / store.total_bytes < 0.1)
    add('The disk of the store is nearly full.', 'EvalfleetStoreNearlyFull', 'bad');
  return out;
}
