// The cards of the fleet's page.
import {ago, bytes, count, duration, milliseconds, rate, words} from '../core/format.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';
import {empty} from '../ui/states.js';

export function healthCard(queues, workers = []) {
  const redis = queues.redis ?? {};
  const slots = workers.reduce((sum, worker) => sum + (worker.concurrency ?? 0), 0);
  const held = workers.reduce((sum, worker) => sum + (worker.held ?? 0), 0);
  const figures = [
    ['Redis', redis.reachable === false ? '✗ away' : '✓ reachable'],
    ['Redis memory', redis.max_bytes > 0 ? `${bytes(redis.used_bytes)} of ${bytes(redis.max_bytes)}` : bytes(redis.used_bytes)],
    ['Workers', count(queues.workers ?? workers.length)], ['Slots held', `${count(held)} of ${count(slots)}`],
    ['Leased', count(queues.leased)], ['Delayed', count(queues.delayed)],
    queues.oldest_lease_s !== undefined && ['Oldest lease', duration(queues.oldest_lease_s)],
    queues.repairs !== undefined && ['Repairs', typeof queues.repairs === 'object' ? repairs(queues.repairs) : count(queues.repairs)],
    queues.store && ['Store', `${bytes(queues.store.free_bytes)} free of ${bytes(queues.store.total_bytes)}`],
  ].filter(Boolean);
  return h('section', {class: 'card', key: 'health'}, h('h2', null, 'Health'), h('dl', {class: 'flow'}, figures.map(([title, value]) =>
    h('div', {key: title}, h('dt', null, title), h('dd', null, value)))));
}

const repairs = (by) => count(Object.values(by ?? {}).filter(Number.isFinite).reduce((sum, one) => sum + one, 0));

export function workersCard(workers) {
  return table('Workers', workers, 'No workers', 'None has sent a heartbeat within the last minute.', (worker) => worker.name, [
    ['Worker', (one) => one.name], ['Host', (one) => one.host ?? '–'], ['Version', (one) => one.version ?? '–'],
    ['Since', (one) => ago(one.started_at)], ['Slots held', (one) => `${count(one.held)} of ${count(one.concurrency)}`, true],
    ['Last seen', (one) => `${duration(one.last_seen_s)} ago`, true], ['Loop lag', (one) => milliseconds(one.loop_lag_ms), true]]);
}

export function providersCard(providers) {
  if (providers.length === 0) return null;
  return table('Providers', providers, '', '', (one) => `${one.provider} ${one.model ?? ''}`, [
    ['Provider and model', (one) => [one.provider, one.model && h('small', {key: 'm'}, one.model)]],
    ['Limit set', (one) => limit(one.limit_set), true], ['Learnt', (one) => limit(one.limit_learnt), true],
    ['In use', (one) => count(one.in_use), true], ['Waiting', (one) => count(one.waiting), true], ['429', (one) => count(one.refused), true],
    ['Errors', (one) => Object.entries(one.errors ?? {}).map(([kind, n]) => `${words(kind)} ${count(n)}`).join(', ') || '–'],
    ['Latency', (one) => latency(one.latency), true]]);
}

const limit = (value) => (value && typeof value === 'object' ? [Number.isFinite(value.calls_at_once) && `${count(value.calls_at_once)} at once`,
  Number.isFinite(value.calls_per_s) && rate(value.calls_per_s)].filter(Boolean).join(', ') || '–' : count(value));
const latency = (value) => (value && typeof value === 'object' ? `${milliseconds(value.p50_ms)} / ${milliseconds(value.p95_ms)}` : milliseconds(value));

export function queuesCard(runs) {
  return table('Queues', runs, 'Nothing is queued', 'No run has jobs in Redis.', (run) => run.run_id, [
    ['Run', (one) => h('a', {href: pathOf('runs', one.run_id)}, one.run_id)], ['State', (one) => words(one.state)],
    ['Ready', (one) => count(one.ready), true], ['Outstanding', (one) => count(one.outstanding), true],
    ['Results', (one) => count(one.results), true], ['Oldest ready', (one) => duration(one.oldest_ready_s), true]]);
}

/** columns: [[title, cell(row), isNumber]...]; the first names the row. */
function table(title, rows, none, why, keyOf, columns) {
  return h('section', {class: 'card flush', key: title}, h('h2', null, title), rows.length === 0 ? empty(none, why)
    : h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title}, h('table', {class: 'cards'},
      h('thead', null, h('tr', null, columns.map(([name, , isNumber]) => h('th', {scope: 'col', key: name, class: isNumber ? 'num' : null}, name)))),
      h('tbody', null, rows.map((row) => h('tr', {key: keyOf(row)}, columns.map(([name, cell, isNumber], i) => (i === 0
        ? h('th', {scope: 'row', key: name}, cell(row)) : h('td', {key: name, class: isNumber ? 'num' : null, 'data-label': name}, cell(row))))))))));
}
