// Above the list of samples: search, sort, the filters in force, and how many trials fit.
import {count} from '../core/format.js';
import {h} from '../core/vdom.js';
import {activeFilters, goesOn, without} from '../logic/sample_query.js';
import {searchField, selectField} from '../ui/fields.js';
import {empty, failed} from '../ui/states.js';

const SORTS = [
  ['index', 'in order'],
  ['latency', 'latency'],
  ['cost', 'cost'],
  ['score', 'score'],
  ['tokens', 'tokens'],
];
const ORDERS = [
  ['asc', 'ascending'],
  ['desc', 'descending'],
];

export function samplesTop({state, trials, set, searchOn, retry}) {
  const active = activeFilters(state);
  return h(
    'div',
    {role: 'search', 'aria-label': 'Trials'},
    h(
      'div',
      {class: 'filters'},
      searchField({label: 'Search task, answer, rationale', value: state.q, onInput: (q) => set({q})}),
      selectField({label: 'Sort by', value: state.sort, options: SORTS, onChange: (sort) => set({sort})}),
      selectField({label: 'Order', value: state.order, options: ORDERS, onChange: (order) => set({order})}),
      h('span', {class: 'note', role: 'status', key: 'total'}, total(state, trials)),
      state.q !== '' &&
        trials.value &&
        goesOn(trials.value) &&
        h('button', {type: 'button', key: 'on', disabled: trials.loading, onclick: searchOn}, 'Search on'),
    ),
    active.length > 0 &&
      h(
        'ul',
        {class: 'active-filters', 'aria-label': 'Filters in force', key: 'active'},
        active.map((filter) =>
          h(
            'li',
            {key: `${filter.name}=${filter.value}`},
            h(
              'button',
              {
                type: 'button',
                'aria-label': `Remove filter ${filter.text}`,
                onclick: () => set(without(state, filter)),
              },
              filter.text,
              ' ✕',
            ),
          ),
        ),
      ),
    trials.error && failed(trials.error, retry),
    trials.value?.trials.length === 0 &&
      !trials.loading &&
      !goesOn(trials.value) &&
      empty('No trial fits', 'Take a filter away, or search for less.'),
  );
}

function total({q}, {value, loading}) {
  if (!value) return loading ? 'Loading…' : '';
  const found = value.total ?? value.trials.length;
  const text = `${count(found)} ${found === 1 ? 'trial' : 'trials'}`;
  if (q === '' || !goesOn(value)) return text;
  const share = Math.floor((100 * value.next_offset) / Math.max(1, value.fitting));
  return `${text} so far, ${share} % searched`;
}
