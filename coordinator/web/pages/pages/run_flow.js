// Where the trials of a run are, and who keeps it waiting.
import {count, duration, rate, usd} from '../core/format.js';
import {h} from '../core/vdom.js';
import {isOver} from '../logic/runs.js';
import {progressBar} from '../ui/progress.js';

export function throttleBanners(run, live) {
  if (isOver(run)) return null;
  const by = live?.flow?.throttled_by ?? [];
  const banners = by.map((one) => h('p', {class: 'banner', key: one.provider, role: 'status'}, throttleText(one)));
  const told = by.length > 0 && /^throttled by/.test(run.note ?? '');
  if (run.note && !told) banners.push(h('p', {class: 'banner', key: 'note', role: 'status'}, run.note));
  return banners;
}

/** "Throttled by openai: 212 calls refused in the last minute, limit now 84 calls at once, 61 calls wait for a permit" */
export function throttleText({provider, refused_recently: refused, recent_s: span, limit, waiting}) {
  const when = span >= 59 && span <= 65 ? 'minute' : `${count(span)} s`;
  const parts = [];
  if (refused > 0) parts.push(`${count(refused)} ${refused === 1 ? 'call' : 'calls'} refused in the last ${when}`);
  if (Number.isFinite(limit) && limit > 0) parts.push(`limit now ${count(limit)} calls at once`);
  if (Number.isFinite(waiting))
    parts.push(`${count(waiting)} ${waiting === 1 ? 'call waits' : 'calls wait'} for a permit`);
  return `Throttled by ${provider}: ${parts.join(', ')}`;
}

export function flowCard(run, live) {
  const over = isOver(run);
  const flow = {...run, ...(over ? {} : live?.flow)};
  const cost = live?.usage?.cost_usd ?? run.cost_usd;
  const figures = [
    ['Done', `${count(run.done)} of ${count(run.total)}`],
    ['Passed', count(run.passed)],
    ['Errors', count(run.errors)],
    !over && ['In flight', count(flow.in_flight)],
    !over && ['Wait for a permit', count(flow.waiting)],
    !over && ['Wait to retry', count(flow.retrying)],
    !over && ['Queued', count(flow.queued)],
    !over && ['Workers', count(run.workers)],
    !over && ['Rate', rate(run.trials_per_s, ' trials/s')],
    !over && ['Left', duration(run.eta_s)],
    [over ? 'Took' : 'Elapsed', duration(run.elapsed_s)],
    ['Tokens', count(live?.usage?.tokens)],
    ['Cost', usd(cost)],
  ].filter(Boolean);
  return h(
    'section',
    {class: 'card', key: 'flow'},
    h('h2', null, over ? 'Trials' : 'Progress'),
    progressBar(run, true),
    h(
      'dl',
      {class: 'flow'},
      figures.map(([title, value]) => h('div', {key: title}, h('dt', null, title), h('dd', null, value))),
    ),
  );
}
