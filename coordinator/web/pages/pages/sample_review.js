// What a person thinks of the judge's scores: agree, or other scores and why. Each review is kept with who and when.
import {post} from '../core/api.js';
import {time} from '../core/format.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';

export function reviewForm(app, runId, record, labels, reload) {
  const send = async (body) => {
    try {
      await post(`${pathOf('runs', runId)}/labels`, {
        sample_index: record.sample_index,
        repeat: record.repeat,
        ...body,
      });
      app.toasts.say('Review saved');
      reload();
    } catch (error) {
      app.toasts.say([error.message, ...error.errors.map((one) => `${one.field}: ${one.message}`)].join(' '), 'bad');
    }
  };
  const unscored = record.accuracy_score === null && record.faithfulness_score === null;
  const select = (name, label, value) =>
    h(
      'label',
      {class: 'facet'},
      label,
      h(
        'select',
        {name},
        [
          ['', '–'],
          ['0', '0'],
          ['1', '1'],
          ['2', '2'],
        ].map(([one, text]) => h('option', {value: one, key: one, selected: one === String(value ?? '')}, text)),
      ),
    );
  return h(
    'form',
    {
      class: 'review',
      'aria-label': `Review of repeat ${record.repeat}`,
      onsubmit: (event) => {
        event.preventDefault();
        send(reviewBody(Object.fromEntries(new FormData(event.target)), false));
      },
    },
    h('h4', {class: 'unseen'}, 'Review'),
    labels.map((label, i) => h('p', {class: 'note', key: i}, said(label))),
    h(
      'div',
      {class: 'tools'},
      !unscored &&
        h(
          'button',
          {
            type: 'button',
            key: 'agree',
            onclick: (event) => send(reviewBody(Object.fromEntries(new FormData(event.target.form)), true, record)),
          },
          '✓ The judge is right',
        ),
      select('accuracy', 'Accuracy', record.accuracy_score),
      select('faithfulness', 'Faithfulness', record.faithfulness_score),
      h('button', {type: 'submit'}, 'Override'),
    ),
    h(
      'label',
      {class: 'field'},
      h('span', {class: 'unseen'}, 'Comment'),
      h('textarea', {name: 'comment', rows: 2, maxlength: 2000, placeholder: 'Comment (optional)'}),
    ),
  );
}

/** The body of a review; whoever agrees keeps the judge's scores. */
export function reviewBody(fields, agree, record) {
  const number = (text) => (text === '' || text === undefined ? null : Number(text));
  return {
    agree,
    accuracy: agree ? record.accuracy_score : number(fields.accuracy),
    faithfulness: agree ? record.faithfulness_score : number(fields.faithfulness),
    comment: (fields.comment ?? '').trim(),
  };
}

function said(label) {
  const what = label.agree
    ? 'agrees with the judge'
    : `says accuracy ${label.accuracy ?? '–'}, faithfulness ${label.faithfulness ?? '–'}`;
  return `${label.by || 'somebody'} ${what}${label.comment ? `: ${label.comment}` : ''} (${time(label.at)} UTC)`;
}
