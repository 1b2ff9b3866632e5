// The filters of the page of runs; all of them stand in the address.
import {h} from '../core/vdom.js';
import {withLabel} from '../logic/labels.js';
import {searchField, selectField, textField} from '../ui/fields.js';

export const DEFAULTS = {q: '', state: '', verdict: '', name: '', model: '', dataset: '', submitter: '', label: []};

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
      (rest > 0 || filters.label.length > 0 || filters.q || filters.state || filters.verdict) &&
        h('button', {type: 'button', class: 'plain', key: 'clear', onclick: clear}, 'Clear'),
    ),
    filters.label.length > 0 && labelsInForce(filters.label, set),
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
        labelForm(filters.label, set),
      ),
    ),
  );
}

function labelsInForce(labels, set) {
  const remove = (label) => set({label: labels.filter((one) => one !== label)});
  return h(
    'ul',
    {class: 'active-filters', 'aria-label': 'Labels in force', key: 'labels'},
    labels.map((label) =>
      h(
        'li',
        {key: label},
        h(
          'button',
          {type: 'button', title: label, 'aria-label': `Remove label ${label}`, onclick: () => remove(label)},
          h('span', {class: 'label'}, label),
          ' ✕',
        ),
      ),
    ),
  );
}

// A label narrows once it is whole: half of one fits nothing.
function labelForm(labels, set) {
  const submit = (event) => {
    event.preventDefault();
    const next = withLabel(labels, new FormData(event.target).get('label'));
    if (!next) return;
    event.target.reset();
    set({label: next});
  };
  return h(
    'form',
    {class: 'label-form', onsubmit: submit, key: 'label'},
    h(
      'label',
      {class: 'field'},
      h('span', null, 'Label'),
      h('input', {
        type: 'text',
        name: 'label',
        placeholder: 'branch=main',
        pattern: '\\s*[^=\\s][^=]*=.*',
        title: 'key=value',
        required: true,
        autocomplete: 'off',
        spellcheck: 'false',
        maxlength: 321,
      }),
    ),
    h('button', {type: 'submit'}, 'Add'),
  );
}
