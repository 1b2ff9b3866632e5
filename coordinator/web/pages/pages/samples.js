// The trials of a run: facets, full-text search, sort, a list of any length, and the sample that is open beside it.
import {get} from '../core/api.js';
import {afterPause} from '../core/later.js';
import {createLoader} from '../core/loader.js';
import {pathOf} from '../core/routes.js';
import {queryOf, readState, writeState} from '../core/url_state.js';
import {h} from '../core/vdom.js';
import {DEFAULTS, goesOn, trialsQuery} from '../logic/sample_query.js';
import {shownPage} from '../ui/states.js';
import {createVirtualList} from '../ui/virtual_list.js';
import {runHead} from './run_head.js';
import {sampleDetail} from './sample_detail.js';
import {onKey, stepTo} from './samples_keys.js';
import {samplesFacets} from './samples_facets.js';
import {trialRow} from './samples_row.js';
import {samplesTop} from './samples_top.js';

const FIRST = 100;
const ENOUGH = 20;
const TYPED = ['q', 'latency_min_ms', 'latency_max_ms', 'cost_min'];

export function samplesPage(app, {id, index}) {
  const path = pathOf('runs', id);
  let state = readState(location.search, DEFAULTS);
  let open = index === undefined ? null : Number(index);
  let detail = null;
  let lastQuery = null;
  let isStopped = false;
  const fold = {open: matchMedia('(min-width: 52.01rem)').matches};
  const run = createLoader(app.update);
  const trials = createLoader(app.update);

  const ask = (offset, limit, facets) =>
    get(`${path}/trials${queryOf({...trialsQuery(state), offset, limit, facets})}`);
  const address = (sample) => `${path}/samples${sample === null ? '' : `/${sample}`}${writeState(state, DEFAULTS)}`;
  const list = createVirtualList({
    label: 'Trials',
    fetchPage: async (offset, limit) => (await ask(offset, limit)).trials,
    row: (trial, place) => trialRow(trial, address(trial.sample_index), trial.sample_index === open, place),
  });

  function load() {
    lastQuery = writeState(state, DEFAULTS);
    const loaded = trials.load(async () => {
      const first = await ask(0, FIRST, true);
      if (state.q === '') list.reset(first.total, first.trials);
      else list.hold(first.trials);
      return first;
    });
    return loaded.then(fill);
  }
  // A search reads a part of the records per request; its rows are kept and the next part comes behind them. It
  // goes on
  // by itself until there is a screenful.
  const searchOn = () =>
    trials.load(async () => {
      const before = trials.value;
      const next = await ask(before.next_offset, FIRST);
      const rows = [...before.trials, ...next.trials];
      list.hold(rows);
      return {...before, ...next, trials: rows, facets: before.facets};
    });
  async function fill() {
    const mine = lastQuery;
    const isWanted = () => mine === lastQuery && !isStopped && state.q !== '';
    while (isWanted() && !trials.error && trials.value && goesOn(trials.value) && trials.value.trials.length < ENOUGH)
      await searchOn();
  }
  // What is typed takes effect after a pause, what is chosen at once.
  const apply = () => app.go(address(open), {replace: true});
  const applySoon = afterPause(120, apply);
  function set(change) {
    state = {...state, ...change};
    applySoon.cancel();
    if (Object.keys(change).some((name) => TYPED.includes(name))) applySoon();
    else apply();
    app.update();
  }
  function show(sample) {
    open = sample;
    detail?.stop();
    detail = sample === null ? null : sampleDetail(app, id, sample, {close: () => app.go(address(null)), step});
    list.refresh();
  }
  async function step(by) {
    const sample = await stepTo(list, open, by);
    if (sample !== null) app.go(address(sample));
  }
  const keys = onKey({
    next: () => step(1),
    previous: () => step(-1),
    close: () => open !== null && app.go(address(null)),
    search: () => document.querySelector('.search input')?.focus(),
  });

  run.load(() => get(path));
  load();
  show(open);
  return {
    get title() {
      return `${open === null ? 'Samples' : `Sample ${open}`} · ${run.value?.name || id}`;
    },
    follow(match) {
      if (match.params.id !== id || !match.route.pattern.startsWith('/runs/:id/samples')) return false;
      const next = match.params.index === undefined ? null : Number(match.params.index);
      if (next !== open) show(next);
      this.onQuery();
      return true;
    },
    onQuery() {
      state = readState(location.search, DEFAULTS);
      if (writeState(state, DEFAULTS) !== lastQuery) load();
    },
    stop() {
      isStopped = true;
      keys();
      applySoon.cancel();
      detail?.stop();
      run.drop();
      trials.drop();
    },
    render: () =>
      shownPage(
        run,
        `Samples of ${id}`,
        (value) =>
          h(
            'div',
            null,
            runHead(app, value, 'samples', null),
            h(
              'div',
              {class: `samples ${open === null ? '' : 'open'}`},
              open === null && samplesFacets(state, trials.value?.facets, set, fold),
              h(
                'div',
                {class: 'list-side', key: 'list'},
                samplesTop({state, trials, set, searchOn, retry: load}),
                h(
                  'section',
                  {class: 'card flush', 'aria-label': 'Trials', 'aria-busy': trials.loading ? 'true' : null},
                  h('div', {class: 'list-box', tabindex: 0, mount: list.mount}),
                ),
              ),
              detail && h('div', {class: 'detail-side', key: 'detail'}, detail.render()),
            ),
          ),
        () => run.load(() => get(path)),
      ),
  };
}
