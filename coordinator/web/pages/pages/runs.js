// All runs, live: state, verdict, pass rate with its interval, cost, progress; filters in the address; two or more
// to compare.
import {get} from '../core/api.js';
import {afterPause} from '../core/later.js';
import {openStream} from '../core/live.js';
import {createLoader} from '../core/loader.js';
import {queryOf, readState, writeState} from '../core/url_state.js';
import {h} from '../core/vdom.js';
import {labelSearch} from '../logic/labels.js';
import {compareAddress, isNewer, replaced} from '../logic/runs.js';
import {empty, shown} from '../ui/states.js';
import {DEFAULTS, runsFilters} from './runs_filters.js';
import {runsTable} from './runs_table.js';

const PAGE = 100;

export function runsPage(app) {
  let filters = readState(location.search, DEFAULTS);
  const fresh = new Set();
  const picked = new Set();
  const list = createLoader(app.update);

  const query = (more) => `/runs${queryOf({...filters, limit: PAGE, ...more})}`;
  const load = () => {
    fresh.clear();
    return list.load(() => get(query()));
  };
  const more = () =>
    list.load(async () => {
      const before = list.value;
      const next = await get(query({cursor: before.next_cursor}));
      return {...next, runs: [...before.runs, ...next.runs], total: before.total};
    });

  // A run that is new stands behind a button: rows do not move under the pointer.
  function onRun(run) {
    if (!list.value) return;
    const runs = replaced(list.value.runs, run);
    if (runs) list.value = {...list.value, runs};
    else if (isNewer(run, list.value.runs) && writeState(filters, DEFAULTS) === '') fresh.add(run.run_id);
    if (fresh.size > 0 && list.value.runs.length === 0) load();
    app.update();
  }

  function onRemoved({run_id: id}) {
    if (!list.value) return;
    list.value = {...list.value, runs: list.value.runs.filter((run) => run.run_id !== id)};
    picked.delete(id);
    fresh.delete(id);
    app.update();
  }

  const apply = afterPause(250, () => app.go(`/runs${writeState(filters, DEFAULTS)}`, {replace: true}));
  function setFilter(change) {
    filters = {...filters, ...change};
    apply();
    app.update();
  }
  function pick(id, on) {
    if (on) picked.add(id);
    else picked.delete(id);
    app.update();
  }

  const addressOf = (label) => `/runs${labelSearch(filters, DEFAULTS, label)}`;

  load();
  const stream = openStream('/events', {
    events: {run: onRun, removed: onRemoved},
    onStatus: app.setLink,
    onBack: load,
  });
  return {
    title: 'Runs',
    onQuery() {
      filters = readState(location.search, DEFAULTS);
      load();
    },
    stop() {
      stream.close();
      apply.cancel();
      list.drop();
    },
    render: () =>
      h(
        'div',
        null,
        h(
          'div',
          {class: 'head'},
          h('h1', {tabindex: -1}, 'Runs'),
          list.value &&
            h(
              'span',
              {class: 'note'},
              `${(list.value.total ?? list.value.runs.length).toLocaleString('en-US')} in all`,
            ),
          fresh.size > 0 &&
            h(
              'button',
              {type: 'button', key: 'fresh', onclick: load},
              `↑ ${fresh.size} new ${fresh.size === 1 ? 'run' : 'runs'}`,
            ),
        ),
        runsFilters(filters, setFilter, () => setFilter({...DEFAULTS})),
        h(
          'section',
          {class: 'card flush', 'aria-label': 'List of runs', 'aria-busy': list.loading ? 'true' : null},
          shown(
            list,
            ({runs}) => (runs.length === 0 ? noRuns(filters, app) : runsTable(runs, picked, pick, addressOf)),
            load,
          ),
        ),
        list.value?.next_cursor &&
          h(
            'div',
            {class: 'state', key: 'more'},
            h('button', {type: 'button', disabled: list.loading, onclick: more}, 'Show more'),
          ),
        picked.size > 0 && selection(app, picked),
      ),
  };
}

function noRuns(filters, app) {
  if (writeState(filters, DEFAULTS) !== '') return empty('No run fits', 'Take a filter away, or search for less.');
  if (app.session?.mode === 'view') return empty('No runs here', 'None of the folders holds a finished run.');
  return empty(
    'No runs yet',
    'Hand one in here, or with evalfleet submit.',
    h('a', {class: 'button primary', href: '/submit'}, 'Submit a run'),
  );
}

function selection(app, picked) {
  const ids = [...picked];
  return h(
    'div',
    {class: 'selection', key: 'selection', role: 'region', 'aria-label': 'Selection'},
    h('span', null, `${ids.length} selected`),
    ids.length > 1
      ? h('a', {class: 'button primary', href: compareAddress(ids)}, 'Compare')
      : h('span', {class: 'note'}, 'Choose another to compare.'),
    h(
      'button',
      {
        type: 'button',
        class: 'plain',
        onclick: () => {
          picked.clear();
          app.update();
        },
      },
      'Clear',
    ),
  );
}
