// Beside the editor: whether the run file is good, its faults, how many calls it makes and what they cost.
import {count, usd} from '../core/format.js';
import {h} from '../core/vdom.js';
import {goToLine} from '../ui/editor.js';
import {failed, loading} from '../ui/states.js';

export function submitSide({check, busy, submit, editorId, retry}) {
  const {value} = check;
  return h(
    'aside',
    {class: 'card', 'aria-label': 'Check'},
    h('h2', null, 'Check'),
    h(
      'div',
      {id: 'faults', role: 'status', 'aria-live': 'polite'},
      check.error
        ? failed(check.error, retry)
        : !value
          ? loading('Checking…')
          : value.valid
            ? good(value)
            : faults(value.errors, editorId),
    ),
    h(
      'button',
      {
        type: 'button',
        class: 'primary',
        key: 'go',
        disabled: busy || !value?.valid || Boolean(check.error),
        onclick: submit,
      },
      busy ? 'Submitting…' : 'Submit',
    ),
  );
}

function good(value) {
  return h(
    'div',
    {key: 'good'},
    h('p', null, h('span', {class: 'chip good'}, '✓ valid')),
    h(
      'dl',
      {class: 'facts'},
      value.runs > 1 && [h('dt', {key: 'rt'}, 'Runs'), h('dd', {key: 'rd', class: 'num'}, count(value.runs))],
      h('dt', null, 'Trials'),
      h('dd', {class: 'num'}, count(value.trials)),
      h('dt', null, 'Calls'),
      h('dd', {class: 'num'}, count(value.calls)),
      h('dt', null, 'Estimated cost'),
      h('dd', {class: 'num'}, value.estimated_cost_usd === null ? 'not known' : usd(value.estimated_cost_usd)),
    ),
    h('p', {class: 'note'}, 'Calls of model and judge, without retries.'),
  );
}

function faults(errors, editorId) {
  return h(
    'div',
    {key: 'faults'},
    h(
      'p',
      null,
      h('span', {class: 'chip bad'}, `✗ ${count(errors.length)} ${errors.length === 1 ? 'fault' : 'faults'}`),
    ),
    h(
      'ul',
      {class: 'faults'},
      errors.map((error, i) =>
        h(
          'li',
          {key: i},
          error.line > 0
            ? h(
                'button',
                {type: 'button', onclick: () => goToLine(editorId, error.line)},
                h('strong', null, `Line ${error.line}`),
                ` ${said(error)}`,
              )
            : said(error),
        ),
      ),
    ),
  );
}

const said = (error) => (error.field ? `${error.field}: ${error.message}` : error.message);
