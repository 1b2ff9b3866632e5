// The facets beside the list of samples: values with their counts, ranges, and two questions.
import {count, words} from '../core/format.js';
import {h} from '../core/vdom.js';
import {facetsOf} from '../logic/sample_query.js';
import {checkField} from '../ui/fields.js';

/** `fold` is {open}: folded on narrow windows at first. */
export function samplesFacets(state, facets, set, fold) {
  const isOn = (name, value) => (Array.isArray(state[name]) ? state[name].includes(value) : state[name] === value);
  const toggle = (name, value) => {
    if (!Array.isArray(state[name])) return set({[name]: isOn(name, value) ? '' : value});
    return set({[name]: isOn(name, value) ? state[name].filter((one) => one !== value) : [...state[name], value]});
  };
  return h(
    'aside',
    {class: 'facets card', 'aria-label': 'Filters'},
    h(
      'details',
      {
        open: fold.open,
        ontoggle: (event) => {
          fold.open = event.target.open;
        },
      },
      h('summary', null, 'Filters'),
      facetsOf(facets).map((facet) =>
        h(
          'fieldset',
          {key: facet.name},
          h('legend', null, facet.title),
          facet.values.map(([value, n]) =>
            h(
              'label',
              {class: 'facet', key: value},
              h('input', {
                type: 'checkbox',
                checked: isOn(facet.name, value),
                onchange: () => toggle(facet.name, value),
              }),
              h('span', null, nameOf(facet.name, value)),
              h('span', {class: 'n'}, count(n)),
            ),
          ),
        ),
      ),
      h(
        'fieldset',
        {key: 'latency'},
        h('legend', null, 'latency, ms'),
        h(
          'div',
          {class: 'range'},
          number('from', state.latency_min_ms, (value) => set({latency_min_ms: value})),
          '–',
          number('to', state.latency_max_ms, (value) => set({latency_max_ms: value})),
        ),
      ),
      h(
        'fieldset',
        {key: 'cost'},
        h('legend', null, 'cost, $'),
        h(
          'div',
          {class: 'range'},
          number('at least', state.cost_min, (value) => set({cost_min: value})),
        ),
      ),
      h(
        'fieldset',
        {key: 'more'},
        h('legend', null, 'only'),
        checkField({
          label: 'repeats disagree',
          checked: state.repeats_disagree,
          onChange: (on) => set({repeats_disagree: on}),
        }),
        checkField({label: 'judge retried', checked: state.judge_retried, onChange: (on) => set({judge_retried: on})}),
      ),
    ),
  );
}

const number = (label, value, onInput) =>
  h('input', {
    type: 'text',
    inputmode: 'decimal',
    value,
    placeholder: label,
    'aria-label': label,
    oninput: (event) => onInput(event.target.value.trim()),
  });

function nameOf(facet, value) {
  if (facet === 'passed' || facet === 'spec_passed') return value === 'true' ? '✓ passed' : '✗ failed';
  return facet === 'tag' || facet === 'task_type' ? value : words(value);
}
