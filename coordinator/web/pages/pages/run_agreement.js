// How far people agree with the judge: Cohen's kappa with its interval, and the tables behind it.
import {count, percent, score} from '../core/format.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';

const SCORES = ['accuracy', 'faithfulness'];

export function agreementCard(run, {trials_reviewed: reviewed = 0, agreement = {}}) {
  return h(
    'section',
    {class: 'card', key: 'agreement'},
    h('h2', null, 'Judge and people'),
    reviewed === 0
      ? h(
          'p',
          {class: 'note'},
          'Nobody has reviewed a trial of this run yet. Open a sample and say whether the judge is right.',
        )
      : h(
          'div',
          null,
          h(
            'div',
            {class: 'figures'},
            SCORES.filter((name) => agreement[name]).map((name) => one(name, agreement[name])),
          ),
          h(
            'p',
            {class: 'note'},
            `${count(reviewed)} reviewed ${reviewed === 1 ? 'trial' : 'trials'}. `,
            h(
              'a',
              {href: `/api/v1${pathOf('runs', run.run_id)}/labels.jsonl`, download: `${run.run_id}-labels.jsonl`},
              'Export as a labels file',
            ),
            ' for evalfleet rejudge --labels and derive --labels.',
          ),
        ),
  );
}

function one(name, value) {
  const interval = Number.isFinite(value.kappa_ci95_lower)
    ? `95 % CI ${score(value.kappa_ci95_lower, 2)} to ${score(value.kappa_ci95_upper, 2)}`
    : 'too few for an interval';
  return h(
    'div',
    {key: name},
    h('h3', null, `Of ${name}`),
    h(
      'p',
      null,
      "Cohen's kappa ",
      h('b', null, score(value.kappa, 2)),
      ` (${interval}); the same score in ${percent(value.observed)} of ${count(value.count)}.`,
    ),
    confusion(name, value.confusion),
  );
}

/** table[judge][person]: trials by the score of the judge and of the person, 0 to 2. */
function confusion(name, table) {
  return h(
    'table',
    null,
    h('caption', {class: 'note'}, 'Trials by the score of the judge (rows) and of people (columns)'),
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        h('th', {scope: 'col'}, 'Judge'),
        table.map((_, person) => h('th', {scope: 'col', class: 'num', key: person}, `people ${person}`)),
      ),
    ),
    h(
      'tbody',
      null,
      table.map((row, judge) =>
        h(
          'tr',
          {key: judge},
          h('th', {scope: 'row'}, `judge ${judge}`),
          row.map((n, person) => h('td', {class: 'num', key: person}, count(n))),
        ),
      ),
    ),
  );
}
