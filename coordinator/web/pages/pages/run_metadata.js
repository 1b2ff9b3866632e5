// Everything needed to repeat or audit the run, folded, and what was redacted.
import {count, words} from '../core/format.js';
import {h} from '../core/vdom.js';
import {textBox} from '../ui/diff_view.js';

export function metadataCard(metadata, summary) {
  const redactions = Object.entries(summary?.extra?.redactions ?? {});
  const {prompt_template: prompt, ...rest} = metadata;
  return h(
    'section',
    {class: 'card', key: 'metadata'},
    h('h2', null, 'How it was run'),
    redactions.length > 0 &&
      h('p', null, 'Redacted: ', redactions.map(([kind, n]) => `${words(kind)} ${count(n)}`).join(', ')),
    h(
      'details',
      null,
      h('summary', null, 'Prompt'),
      prompt?.system && h('div', {class: 'text-block'}, h('h3', null, 'System'), textBox(prompt.system)),
      h(
        'div',
        {class: 'text-block'},
        h('h3', null, `Template ${prompt?.id}@${prompt?.version}`),
        textBox(prompt?.template ?? ''),
      ),
    ),
    h(
      'details',
      null,
      h('summary', null, 'Metadata (run.json)'),
      h(
        'dl',
        {class: 'facts'},
        Object.entries(rest).map(([name, value]) => [
          h('dt', {key: `t${name}`}, words(name)),
          h('dd', {key: `d${name}`}, shownValue(value)),
        ]),
      ),
    ),
  );
}

function shownValue(value) {
  if (value === null || value === '') return '–';
  if (typeof value === 'object') return h('pre', null, JSON.stringify(value, null, 1));
  return String(value);
}
