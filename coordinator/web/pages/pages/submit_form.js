// The form that writes a run file into the editor; whoever needs more goes on there.
import {h} from '../core/vdom.js';
import {runFileOf} from '../logic/run_file.js';

export function submitForm(datasets, write) {
  const field = (name, label, props = {}) =>
    h(
      'label',
      {class: 'field', key: name},
      h('span', null, label),
      h('input', {name, type: 'text', autocomplete: 'off', required: true, maxlength: 200, ...props}),
    );
  return h(
    'details',
    {class: 'card'},
    h('summary', null, 'Fill in a form'),
    h(
      'form',
      {
        onsubmit: (event) => {
          event.preventDefault();
          write(runFileOf(Object.fromEntries(new FormData(event.target))));
        },
      },
      h(
        'div',
        {class: 'filters'},
        field('name', 'Name'),
        h(
          'label',
          {class: 'field'},
          h('span', null, 'Dataset'),
          datasets.length === 0
            ? h('input', {name: 'dataset', required: true, maxlength: 64})
            : h(
                'select',
                {name: 'dataset'},
                datasets.map((one) => h('option', {value: one.id, key: one.id}, `${one.id} (${one.samples} samples)`)),
              ),
        ),
        field('provider', 'Provider'),
        field('model', 'Model'),
        field('version', 'Version', {required: false}),
        field('judgeProvider', 'Provider of the judge', {required: false}),
        field('judge', 'Judge'),
        field('repeats', 'Repeats', {type: 'number', min: 1, max: 1000, value: '3'}),
      ),
      h('label', {class: 'field'}, h('span', null, 'System prompt'), h('input', {name: 'system', maxlength: 10_000})),
      h(
        'label',
        {class: 'field'},
        h('span', null, 'Prompt template'),
        h('textarea', {name: 'template', rows: 4, required: true, value: '{{task}}'}),
      ),
      h('div', {class: 'tools'}, h('button', {type: 'submit'}, 'Write the run file')),
    ),
  );
}
