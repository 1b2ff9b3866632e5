// Samples whose outcome differs between two runs, with both answers and what differs in them.
import {get} from '../core/api.js';
import {afterPause} from '../core/later.js';
import {change, count, score} from '../core/format.js';
import {createLoader} from '../core/loader.js';
import {pathOf} from '../core/routes.js';
import {queryOf} from '../core/url_state.js';
import {h} from '../core/vdom.js';
import {passChip} from '../ui/chip.js';
import {diffView} from '../ui/diff_view.js';
import {checkField, textField} from '../ui/fields.js';
import {empty, shown} from '../ui/states.js';

const PAGE = 20;

export function createFlips(app, base, candidate) {
  const loader = createLoader(app.update);
  let all = false;
  let least = '';
  const ask = (offset) =>
    get(
      `/compare/samples${queryOf({
        base,
        candidate,
        only: all ? 'all' : 'flips',
        offset,
        limit: PAGE,
        min_difference: Number(least) > 0 ? least : '',
      })}`,
    );
  const load = () => loader.load(() => ask(0));
  const more = () =>
    loader.load(async () => {
      const before = loader.value;
      const next = await ask(before.samples.length);
      return {...next, samples: [...before.samples, ...next.samples]};
    });
  const reload = afterPause(250, load);
  load();

  return {
    stop() {
      reload.cancel();
      loader.drop();
    },
    render: () =>
      h(
        'section',
        {class: 'card'},
        h('h3', null, 'Samples that differ'),
        h(
          'div',
          {class: 'filters'},
          checkField({
            label: 'also those that did not flip',
            checked: all,
            onChange: (on) => {
              all = on;
              load();
            },
          }),
          textField({
            label: 'Scores differ by at least',
            value: least,
            placeholder: '0.25',
            onInput: (value) => {
              least = value.trim();
              reload();
            },
          }),
        ),
        shown(
          loader,
          (value) =>
            value.samples.length === 0
              ? empty('No sample differs so', '')
              : h(
                  'div',
                  null,
                  h(
                    'p',
                    {class: 'note', role: 'status'},
                    `${count(value.total)} ${value.total === 1 ? 'sample' : 'samples'}`,
                  ),
                  value.samples.map((sample) => flip(sample, base, candidate)),
                  value.samples.length < (value.total ?? 0) &&
                    h('button', {type: 'button', key: 'more', onclick: more}, 'Show more'),
                ),
          load,
        ),
      ),
  };
}

function flip(sample, base, candidate) {
  const side = (title, run, one) =>
    h(
      'div',
      {key: title},
      h(
        'div',
        {class: 'scores'},
        h(
          'a',
          {
            href: pathOf('runs', run, 'samples', sample.sample_index),
          },
          title,
        ),
        passChip(one?.passed),
        `score ${score(one?.score)}`,
      ),
    );
  const before = sample.base?.answer ?? '';
  const after = sample.candidate?.answer ?? '';
  return h(
    'div',
    {class: 'flip', key: sample.sample_index},
    h(
      'strong',
      null,
      `Sample ${sample.sample_id || sample.sample_index}`,
      ' ',
      h('span', {class: 'chip'}, change(sample.difference)),
    ),
    h('div', {class: 'pair'}, side('base', base, sample.base), side('candidate', candidate, sample.candidate)),
    h('details', null, h('summary', null, 'Answers, base to candidate'), diffView(before, after)),
  );
}
