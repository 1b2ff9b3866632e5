// The filters of the page of runs; all of them stand in the address.
import {h} from '../core/vdom.js';
import {searchField, selectField, textField} from '../ui/fields.js';

export const DEFAULTS = {q: '', state: '', verdict: '', name: '', model: '', dataset: '', submitter: ''};

const STATES = [
  ['', 'any state'],
  ['active', 'active'],
  ['queued', 'queued'],
  ['running', 'running'],
  ['paused', 'paused'],
  ['done', 'done'],
  ['cancelled', 'cancelled'],
  ['failed', 'failed'],
];
const VERDICTS = [
  ['', 'any verdict'],
  ['ready', 'ready'],
  ['not_ready', 'not ready'],
  ['not_measured', 'not measured'],
  ['open', 'open'],
];
const TEXTS = [
  ['name', 'Name', 'nightly*'],
  ['model', 'Model', ''],
  ['dataset', 'Dataset', ''],
  ['submitter', 'Submitted by', ''],
];

export function runsFilters(filters, set, clear) {
  const rest = TEXTS.filter(([name]) => filters[name] !== '').length;
  return h(
    'div',
    {role: 'search', 'aria-label': 'Runs'},
    h(
      'div',
      {class: 'filters'},
      searchField({
        label: 'Search',
        value: filters.q,
        placeholder: 'id, name, model, dataset',
        onInput: (q) => set({q}),
      }),
      selectField({label: 'State', value: filters.state, options: STATES, onChange: (state) => set({state})}),
      selectField({
        label: 'Verdict',
        value: filters.verdict,
        options: VERDICTS,
        onChange: (verdict) => set({verdict}),
      }),
      (rest > 0 || filters.q || filters.state || filters.verdict) &&
        h('button', {type: 'button', class: 'plain', key: 'clear', onclick: clear}, 'Clear'),
    ),
    h(
      'details',
      {class: 'filters-more'},
      h('summary', null, rest > 0 ? `More filters (${rest} in force)` : 'More filters'),
      h(
        'div',
        {class: 'filters'},
        TEXTS.map(([name, label, placeholder]) =>
          textField({label, value: filters[name], placeholder, onInput: (value) => set({[name]: value.trim()})}),
        ),
      ),
    ),
  );
}
