// The cards of the fleet's page.
import {ago, bytes, count, duration, milliseconds, rate, words} from '../core/format.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';
import {heldText} from '../logic/fleet.js';
import {empty} from '../ui/states.js';

export function healthCard(queues, workers = []) {
  const redis = queues.redis ?? {};
  const slots = workers.reduce((sum, worker) => sum + (worker.concurrency ?? 0), 0);
  const held = workers.reduce((sum, worker) => sum + (worker.held ?? 0), 0);
  const figures = [
    ['Redis', redis.reachable === false ? '✗ away' : '✓ reachable'],
    [
      'Redis memory',
      redis.max_bytes > 0 ? `${bytes(redis.used_bytes)} of ${bytes(redis.max_bytes)}` : bytes(redis.used_bytes),
    ],
    ['Workers', count(queues.workers ?? workers.length)],
    ['Held', heldText(held, slots)],
    ['Leased', count(queues.leased)],
    ['Delayed', count(queues.delayed)],
    queues.store && ['Store', `${bytes(queues.store.free_bytes)} free of ${bytes(queues.store.total_bytes)}`],
  ].filter(Boolean);
  return h(
    'section',
    {class: 'card', key: 'health'},
    h('h2', null, 'Health'),
    h(
      'dl',
      {class: 'flow'},
      figures.map(([title, value]) => h('div', {key: title}, h('dt', null, title), h('dd', null, value))),
    ),
  );
}

export function workersCard(workers) {
  return table(
    'Workers',
    workers,
    'No workers',
    'None has sent a heartbeat within the last minute.',
    (worker) => worker.name,
    [
      ['Worker', (one) => one.name],
      ['Host', (one) => one.host ?? '–'],
      ['Version', (one) => one.version ?? '–'],
      ['Since', (one) => ago(one.started_at)],
      ['Held', (one) => heldText(one.held, one.concurrency), true],
      ['Last seen', (one) => `${duration(one.last_seen_s)} ago`, true],
      ...(workers.some((one) => Number.isFinite(one.loop_lag_ms))
        ? [['Loop lag', (one) => milliseconds(one.loop_lag_ms), true]]
        : []),
      ['Providers', (one) => (one.providers ?? []).join(', ') || '–'],
    ],
  );
}

export function limitsCard(limits) {
  return table(
    'Providers',
    limits,
    'No provider in use',
    'Limits appear here with the first call.',
    (one) => one.limit_key,
    [
      ['Account', (one) => [one.limit_key, others(one) && h('small', {key: 'p'}, others(one))]],
      ['Limit set', (one) => setText(one.limit_set)],
      ['Learnt', (one) => learntText(one)],
      ['In use', (one) => count(one.in_use), true],
      ['Waiting', (one) => count(one.waiting), true],
      [
        'Refused, last minute',
        (one) => [
          count(one.refused_recently),
          one.refused > 0 && h('small', {key: 'all'}, `${count(one.refused)} in all`),
          Number.isFinite(one.refused_s_ago) && h('small', {key: 'a'}, `${duration(one.refused_s_ago)} ago`),
        ],
        true,
      ],
      ['Paused', (one) => (one.paused_s > 0 ? duration(one.paused_s) : '–'), true],
      ['Why', (one) => one.reason || '–'],
    ],
  );
}

/** Errors and latencies of late, by model. */
export function modelsCard({window_s: window, models}) {
  const errors = (one) =>
    Object.entries(one.errors)
      .map(([kind, n]) => `${words(kind)} ${count(n)}`)
      .join(', ');
  return table(
    'Models',
    models,
    'No run goes on',
    'Errors and latencies of its model appear here.',
    (one) => one.model,
    [
      ['Model', (one) => one.model],
      ['Provider', (one) => one.provider],
      [`Trials, last ${Math.round(window / 60)} min`, (one) => count(one.trials), true],
      ['Latency p50', (one) => milliseconds(one.latency_p50_ms), true],
      ['Latency p95', (one) => milliseconds(one.latency_p95_ms), true],
      ['Judge asked again', (one) => count(one.judge_retried), true],
      ['Errors', (one) => errors(one) || 'none'],
    ],
  );
}

const others = ({limit_key: key, providers = []}) => providers.filter((one) => one !== key).join(', ');

/** The limits of the operator's file; 0 is none. */
function setText(limit) {
  if (!limit) return '–';
  return (
    [
      limit.calls_at_once > 0 && `${count(limit.calls_at_once)} at once`,
      limit.requests_per_minute > 0 && `${count(limit.requests_per_minute)} requests/min`,
      limit.tokens_per_minute > 0 && `${count(limit.tokens_per_minute)} tokens/min`,
    ]
      .filter(Boolean)
      .join(', ') || 'none'
  );
}

function learntText({calls_at_once: calls, calls_per_second: perSecond}) {
  return [calls > 0 && `${count(calls)} at once`, perSecond > 0 && rate(perSecond)].filter(Boolean).join(', ') || '–';
}

export function queuesCard(runs) {
  return table('Queues', runs, 'Nothing is queued', 'No run has jobs in Redis.', (run) => run.run_id, [
    ['Run', (one) => h('a', {href: pathOf('runs', one.run_id)}, one.run_id)],
    ['State', (one) => words(one.state)],
    ['Ready', (one) => count(one.ready), true],
    ['Outstanding', (one) => count(one.outstanding), true],
    ['Leased', (one) => count(one.leased), true],
    ['Results', (one) => count(one.results), true],
    ['Oldest job', (one) => duration(one.oldest_job_s), true],
  ]);
}

/** columns: [[title, cell(row), isNumber]...]; the first names the row. */
function table(title, rows, none, why, keyOf, columns) {
  return h(
    'section',
    {class: 'card flush', key: title},
    h('h2', null, title),
    rows.length === 0
      ? empty(none, why)
      : h(
          'div',
          {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title},
          h(
            'table',
            {class: 'cards'},
            h(
              'thead',
              null,
              h(
                'tr',
                null,
                columns.map(([name, , isNumber]) =>
                  h('th', {scope: 'col', key: name, class: isNumber ? 'num' : null}, name),
                ),
              ),
            ),
            h(
              'tbody',
              null,
              rows.map((row) =>
                h(
                  'tr',
                  {key: keyOf(row)},
                  columns.map(([name, cell, isNumber], i) =>
                    i === 0
                      ? h('th', {scope: 'row', key: name}, cell(row))
                      : h('td', {key: name, class: isNumber ? 'num' : null, 'data-label': name}, cell(row)),
                  ),
                ),
              ),
            ),
          ),
        ),
  );
}
