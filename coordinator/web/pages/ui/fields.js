// Labelled inputs of filters and forms.
import {h} from '../core/vdom.js';

export const searchField = ({label, value, onInput, placeholder}) =>
  h(
    'label',
    {class: 'field search'},
    h('span', null, label),
    h('input', {
      type: 'search',
      value,
      placeholder,
      autocomplete: 'off',
      spellcheck: 'false',
      maxlength: 200,
      oninput: (event) => onInput(event.target.value),
    }),
  );

export const textField = ({label, value, onInput, placeholder, list}) =>
  h(
    'label',
    {class: 'field'},
    h('span', null, label),
    h('input', {
      type: 'text',
      value,
      placeholder,
      list,
      autocomplete: 'off',
      spellcheck: 'false',
      maxlength: 200,
      oninput: (event) => onInput(event.target.value),
    }),
  );

/** options: [[value, text]...] */
export const selectField = ({label, value, options, onChange}) =>
  h(
    'label',
    {class: 'field'},
    h('span', null, label),
    h(
      'select',
      {onchange: (event) => onChange(event.target.value)},
      options.map(([one, text]) => h('option', {value: one, selected: one === value, key: one}, text)),
    ),
  );

export const checkField = ({label, checked, onChange}) =>
  h(
    'label',
    {class: 'facet'},
    h('input', {type: 'checkbox', checked, onchange: (event) => onChange(event.target.checked)}),
    h('span', null, label),
  );
