// One sample with everything that is known: what was asked, all repeats side by side, and the call to repeat it.
import {get} from '../core/api.js';
import {createLoader} from '../core/loader.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';
import {copyButton} from '../ui/copy.js';
import {textBlock, textBox} from '../ui/diff_view.js';
import {shown} from '../ui/states.js';
import {repeatCard} from './sample_repeat.js';

export function sampleDetail(app, runId, index, {close, step}) {
  const loader = createLoader(app.update);
  const showDiff = new Set();
  const load = () => loader.load(() => get(`${pathOf('runs', runId)}/samples/${index}`));
  const toggleDiff = (repeat) => {
    if (!showDiff.delete(repeat)) showDiff.add(repeat);
    app.update();
  };
  load();
  return {
    stop: () => loader.drop(),
    render: () =>
      h(
        'article',
        {'aria-label': `Sample ${index}`},
        h(
          'div',
          {class: 'head', key: 'head'},
          h('h2', {tabindex: -1}, title(loader.value, index)),
          h('span', {class: 'spring'}),
          h(
            'div',
            {class: 'tools'},
            h('button', {type: 'button', onclick: () => step(-1), title: 'key k'}, '↑ Previous'),
            h('button', {type: 'button', onclick: () => step(1), title: 'key j'}, '↓ Next'),
            h('button', {type: 'button', onclick: close, title: 'key Escape'}, 'Back to the list'),
          ),
        ),
        shown(loader, (value) => body(app, runId, value, {showDiff, toggleDiff, reload: load}), load),
      ),
  };
}

const title = (value, index) => `Sample ${value?.sample?.id || value?.records?.[0]?.sample_id || index}`;

function body(app, runId, value, tools) {
  const sample = value.sample ?? {};
  const reference = sample.reference_answer ?? null;
  return h(
    'div',
    null,
    h(
      'section',
      {class: 'card', 'aria-label': 'What was asked'},
      h('h2', null, 'What was asked'),
      facts(sample, value.records?.[0]),
      (value.sample === null || value.dataset_note) &&
        h(
          'p',
          {class: 'banner', role: 'note'},
          value.dataset_note ?? 'The texts of this sample are not there any more.',
        ),
      question(sample, value.prompt),
      !holds(value.prompt, sample.context) && textBlock('Context', sample.context),
      textBlock('Reference answer', reference),
    ),
    h(
      'section',
      {'aria-label': 'Repeats'},
      h('h2', null, value.records.length === 1 ? 'The trial' : `${value.records.length} repeats`),
      value.records_left_out > 0 &&
        h('p', {class: 'note'}, `${value.records_left_out} more are too large to be shown here.`),
      h(
        'div',
        {class: 'repeats'},
        value.records.map((record) =>
          repeatCard(app, runId, record, {
            ...tools,
            reference,
            labels: (value.labels ?? []).filter((label) => label.repeat === record.repeat),
          }),
        ),
      ),
    ),
    value.curl &&
      h(
        'section',
        {class: 'card', 'aria-label': 'Repeat the call'},
        h('div', {class: 'head'}, h('h2', null, 'Repeat the call'), copyButton(app, value.curl, 'Copy')),
        h('p', {class: 'note'}, 'The same request, without its key: set it yourself.'),
        h('pre', null, value.curl),
      ),
  );
}

function facts(sample, record) {
  const tags = Object.entries(sample.tags ?? record?.tags ?? {}).map(([key, one]) => `${key}: ${one}`);
  const type = sample.task_type ?? record?.task_type;
  return h('p', {class: 'note'}, type ? `Task type ${type}` : '', tags.length > 0 ? ` · ${tags.join(' · ')}` : '');
}

// The prompt as it was sent, else the chat, else the bare task.
function question(sample, prompt) {
  const turns = turnsOf(prompt) ?? sample.messages;
  if (!turns) return textBlock('Task', sample.task);
  return h(
    'div',
    {class: 'text-block'},
    h('h3', null, turnsOf(prompt) ? 'Prompt as it was sent' : 'Chat'),
    turns.map((turn, i) =>
      h('div', {class: 'turn', key: i}, h('span', {class: 'role'}, turn.role), textBox(contentOf(turn))),
    ),
  );
}

// A context that stands in the prompt already is not shown twice.
const holds = (prompt, text) =>
  Boolean(text) && (turnsOf(prompt) ?? []).some((turn) => contentOf(turn).includes(text));

const turnsOf = (prompt) => (Array.isArray(prompt) && prompt.length > 0 ? prompt : null);

const contentOf = (turn) => (typeof turn.content === 'string' ? turn.content : JSON.stringify(turn.content, null, 1));
