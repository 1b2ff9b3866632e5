// The table of runs. Only rows whose run changed are built again.
import {ciBar} from '../charts/ci_bar.js';
import {sparkline} from '../charts/sparkline.js';
import {ago, count, duration, percent, time, usd} from '../core/format.js';
import {pathOf} from '../core/routes.js';
import {h, memo} from '../core/vdom.js';
import {histories, isOver, timeLeft, verdictOf} from '../logic/runs.js';
import {stateChip, verdictChip} from '../ui/chip.js';
import {labelChips} from '../ui/labels.js';
import {progressBar} from '../ui/progress.js';

const COLUMNS = [
  'Compare',
  'Run',
  'State',
  'Verdict',
  'Pass rate (95 % CI)',
  'Trend',
  'Progress',
  'Time',
  'Cost',
  'Model',
];
const SHOWN_LABELS = 3;
const NUMBERS = new Set(['Time', 'Cost']);

/** `addressOf(label)`: the runs that have the label besides what is asked for now. */
export function runsTable(runs, picked, pick, addressOf) {
  const byName = histories(runs);
  return h(
    'div',
    {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Runs'},
    h(
      'table',
      {class: 'runs cards'},
      h('caption', {class: 'unseen'}, 'Runs, the newest first'),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          COLUMNS.map((title, i) =>
            h(
              'th',
              {scope: 'col', class: NUMBERS.has(title) ? 'num' : null},
              i === 0 ? h('span', {class: 'unseen'}, title) : title,
            ),
          ),
        ),
      ),
      h(
        'tbody',
        null,
        runs.map((run) => {
          const history = byName.get(run.name);
          const version = JSON.stringify([run, picked.has(run.run_id), history, ago(run.submitted_at), addressOf('')]);
          return memo(run.run_id, version, () => row(run, history, picked.has(run.run_id), {pick, addressOf}));
        }),
      ),
    ),
  );
}

function row(run, history, isPicked, {pick, addressOf}) {
  const verdict = verdictOf(run);
  const left = timeLeft(run, duration);
  return h(
    'tr',
    {class: isPicked ? 'selected' : null},
    h(
      'td',
      {class: 'pick'},
      h('input', {
        type: 'checkbox',
        checked: isPicked,
        'aria-label': `Compare ${run.name || run.run_id}`,
        onchange: (event) => pick(run.run_id, event.target.checked),
      }),
    ),
    h(
      'th',
      {scope: 'row', class: 'name'},
      h('a', {href: pathOf('runs', run.run_id)}, run.name || run.run_id),
      h(
        'small',
        {title: `${run.run_id}, ${time(run.submitted_at)} UTC`},
        `${ago(run.submitted_at)}`,
        run.submitted_by ? ` by ${run.submitted_by}` : '',
        ` · ${run.run_id}`,
      ),
      run.description && h('small', {key: 'description', title: run.description}, run.description),
      labelChips(run, addressOf, SHOWN_LABELS),
      run.note && h('small', {class: 'run-note', title: run.note}, `⚠ ${run.note}`),
    ),
    h('td', {'data-label': 'State'}, stateChip(run.state)),
    h('td', {'data-label': 'Verdict'}, verdictChip(verdict)),
    h('td', {class: 'pass wide', 'data-label': 'Pass rate'}, passRate(run, verdict)),
    h(
      'td',
      null,
      history &&
        sparkline(
          history,
          `Pass rates of ${history.length} runs called ${run.name}, last ${percent(history.at(-1).value)}`,
        ),
    ),
    h(
      'td',
      {class: 'wide', 'data-label': 'Progress'},
      isOver(run) && run.done === run.total
        ? count(run.total)
        : [progressBar(run), h('small', {key: 'n'}, `${count(run.done)} of ${count(run.total)}`)],
    ),
    h('td', {class: 'num', 'data-label': 'Time', title: left.title}, left.text),
    h('td', {class: 'num', 'data-label': 'Cost'}, usd(run.cost_usd)),
    h(
      'td',
      {class: 'model', 'data-label': 'Model'},
      run.model,
      h('small', {title: `prompt ${run.prompt}, dataset ${run.dataset_id}`}, `${run.prompt} on ${run.dataset_id}`),
    ),
  );
}

function passRate(run, verdict) {
  if (!Number.isFinite(run.pass_rate)) return h('span', {class: 'note'}, 'no trial yet');
  const look = {ready: 'good', not_ready: 'bad'}[verdict] ?? 'open';
  return h(
    'div',
    null,
    h(
      'div',
      {class: 'pass-text'},
      h('span', null, percent(run.pass_rate)),
      h('small', null, `${percent(run.pass_rate_ci95_lower)} to ${percent(run.pass_rate_ci95_upper)}`),
    ),
    ciBar({
      value: run.pass_rate,
      lower: run.pass_rate_ci95_lower,
      upper: run.pass_rate_ci95_upper,
      look,
      range: [0, 1],
    }),
  );
}
