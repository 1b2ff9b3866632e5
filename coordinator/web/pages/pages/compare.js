// Two or more runs against a base: differences with paired intervals, slices that moved, samples that flipped.
import {get} from '../core/api.js';
import {createLoader} from '../core/loader.js';
import {pathOf} from '../core/routes.js';
import {queryOf} from '../core/url_state.js';
import {h} from '../core/vdom.js';
import {chosenRuns, compareQuery, distinctNames} from '../logic/compare.js';
import {empty, shown} from '../ui/states.js';
import {createFlips} from './compare_flips.js';
import {metricsCard, slicesCard, verdictCard} from './compare_metrics.js';
import {runPicker} from './compare_picker.js';

export function comparePage(app) {
  const runs = createLoader(app.update);
  let chosen = {base: '', candidates: []};
  let parts = [];

  const choose = (next) => app.go(`/compare${compareQuery(next)}`);

  function start() {
    parts.forEach((part) => part.stop());
    chosen = chosenRuns(location.search);
    parts = chosen.base ? chosen.candidates.map((id) => candidatePart(app, chosen.base, id)) : [];
    app.update();
  }

  runs.load(async () => (await get('/runs?state=done,cancelled&limit=200')).runs);
  start();
  return {
    title: 'Compare',
    onQuery: start,
    stop() {
      parts.forEach((part) => part.stop());
      runs.drop();
    },
    render: () =>
      h(
        'div',
        null,
        h('div', {class: 'head'}, h('h1', {tabindex: -1}, 'Compare')),
        runPicker(runs.value ?? [], chosen, choose),
        parts.length === 0
          ? empty(
              'Choose a base and a candidate',
              'Both must be over. The base stays pinned; the address can be shared.',
            )
          : parts.map((part) => part.render(runs.value ?? [])),
      ),
  };
}

function candidatePart(app, base, candidate) {
  const comparison = createLoader(app.update);
  const summaries = createLoader(app.update);
  const flips = createFlips(app, base, candidate);
  let force = false;
  const load = () => comparison.load(() => get(`/compare${queryOf({base, candidate, force})}`));
  const loadAll = () => {
    load();
    summaries.load(() => Promise.all([base, candidate].map((id) => get(`${pathOf('runs', id)}/summary`))));
  };
  const insist = () => {
    force = true;
    comparison.error = null;
    load();
  };
  loadAll();
  return {
    stop() {
      comparison.drop();
      summaries.drop();
      flips.stop();
    },
    render(runs) {
      const names = distinctNames(runs, [base, candidate]);
      const name = (id) => names.get(id);
      return h(
        'section',
        {key: `${base} ${candidate}`, 'aria-label': `${name(candidate)} against ${name(base)}`},
        h(
          'h2',
          null,
          h('a', {href: pathOf('runs', candidate)}, name(candidate)),
          ' against ',
          h('a', {href: pathOf('runs', base)}, name(base)),
        ),
        comparison.error?.status === 422
          ? incomparable(comparison.error, insist)
          : shown(
              comparison,
              (value) =>
                h(
                  'div',
                  null,
                  verdictCard(value),
                  metricsCard(value),
                  summaries.value && slicesCard(summaries.value),
                  flips.render(),
                ),
              loadAll,
            ),
      );
    },
  };
}

function incomparable(error, insist) {
  return empty(
    'These runs should not be compared',
    [error.message, ...error.errors.map((one) => one.message)].join(' '),
    h('button', {type: 'button', onclick: insist}, 'Compare all the same'),
  );
}
