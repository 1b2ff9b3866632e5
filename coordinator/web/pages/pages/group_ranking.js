// The runs of a group: ranked with tests against the baseline once all are over, with their progress until then.
import {ciBar} from '../charts/ci_bar.js';
import {percent, pValue, score, words} from '../core/format.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';
import {verdictOf} from '../logic/runs.js';
import {findingChip, stateChip, verdictChip} from '../ui/chip.js';
import {progressBar} from '../ui/progress.js';

export function rankingCard({runs, summary}) {
  return h(
    'section',
    {class: 'card flush', key: 'ranking'},
    h('h2', null, summary ? 'Ranking' : 'Runs'),
    summary &&
      !summary.comparable &&
      h('p', {class: 'banner'}, `Should not be compared: ${summary.reasons.join('; ')}`),
    summary ? ranked(summary, runs) : plain(runs),
  );
}

function ranked(summary, runs) {
  const blocks = new Map(summary.runs.map((run) => [run.run_id, run.rubric]));
  return h(
    'div',
    {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Ranking'},
    h(
      'table',
      {class: 'cards'},
      head(['Rank', 'Model and prompt', 'Score', '95 % CI', 'Pass rate', 'Verdict', 'Against the baseline']),
      h(
        'tbody',
        null,
        summary.ranking.map((one) => {
          const rubric = blocks.get(one.run_id) ?? {};
          const main = one.differences.find((difference) => difference.name === 'aggregate_score');
          return h(
            'tr',
            {key: one.run_id},
            h('td', {'data-label': 'Rank'}, one.rank),
            h(
              'th',
              {scope: 'row'},
              h('a', {href: pathOf('runs', one.run_id)}, one.model),
              h('small', null, one.prompt_template_version),
            ),
            h('td', {'data-label': 'Score'}, score(one.aggregate_score)),
            h(
              'td',
              {class: 'wide pass'},
              ciBar({
                value: one.aggregate_score,
                lower: rubric.aggregate_score_ci95_lower,
                upper: rubric.aggregate_score_ci95_upper,
                unit: 'score',
                range: [0, 1],
              }),
              h(
                'small',
                null,
                `${score(rubric.aggregate_score_ci95_lower)} to ${score(rubric.aggregate_score_ci95_upper)}`,
              ),
            ),
            h('td', {'data-label': 'Pass rate'}, percent(rubric.pass_rate)),
            h(
              'td',
              {'data-label': 'Verdict'},
              verdictChip(verdictOf(runs.find((run) => run.run_id === one.run_id) ?? one)),
            ),
            h(
              'td',
              {class: 'wide', 'data-label': 'Against the baseline'},
              one.baseline
                ? h('span', {class: 'chip'}, 'baseline')
                : [
                    findingChip(one.verdict),
                    h('small', {key: 'p'}, main ? `score: p ${pValue(main.p_value_holm)} (Holm)` : words(one.verdict)),
                  ],
            ),
          );
        }),
      ),
    ),
  );
}

function plain(runs) {
  return h(
    'table',
    {class: 'cards'},
    head(['Model and prompt', 'State', 'Progress', 'Pass rate']),
    h(
      'tbody',
      null,
      runs.map((run) =>
        h(
          'tr',
          {key: run.run_id},
          h('th', {scope: 'row'}, h('a', {href: pathOf('runs', run.run_id)}, run.model), h('small', null, run.prompt)),
          h('td', {'data-label': 'State'}, stateChip(run.state)),
          h('td', {'data-label': 'Progress'}, progressBar(run)),
          h('td', {'data-label': 'Pass rate'}, percent(run.pass_rate)),
        ),
      ),
    ),
  );
}

const head = (titles) =>
  h(
    'thead',
    null,
    h(
      'tr',
      null,
      titles.map((title) => h('th', {scope: 'col', key: title}, title)),
    ),
  );
