// The differences of two runs as forest plots, and the slices that moved most.
import {forest} from '../charts/forest.js';
import {aroundZero} from '../charts/scale.js';
import {change, count, milliseconds, percent, pValue, score} from '../core/format.js';
import {h} from '../core/vdom.js';
import {metricRows, verdictSentence} from '../logic/compare.js';
import {movedSlices} from '../logic/slices.js';
import {findingChip} from '../ui/chip.js';

export function verdictCard(comparison) {
  const look = {worse: 'bad', no_worse: 'good', cannot_tell: 'unsure'}[comparison.verdict] ?? '';
  return h(
    'div',
    {class: `verdict ${look}`},
    findingChip(comparison.verdict),
    h('p', null, verdictSentence(comparison)),
    comparison.reasons.length > 0 && h('p', null, `Not comparable: ${comparison.reasons.join('; ')}`),
    h(
      'p',
      {class: 'note'},
      `${count(comparison.shared_trials)} shared trials of ${count(comparison.shared_samples)} samples; `,
      `the base has ${count(comparison.base_trials)}, the candidate ${count(comparison.candidate_trials)}.`,
    ),
  );
}

export function metricsCard(comparison) {
  const rows = metricRows(comparison);
  return h(
    'section',
    {class: 'card'},
    h('h3', null, 'Differences, candidate minus base'),
    h('p', {class: 'note'}, '95 % CI over paired samples; p after Holm. The dashed line is no difference.'),
    plot('Scores and rates', rows.difference, 'difference'),
    plot('Latency and tokens, relative to the base', rows.ratio, 'ratio'),
    plot('Latency in milliseconds', rows.ms, 'ms'),
  );
}

function plot(caption, rows, scale) {
  if (rows.length === 0) return null;
  const range = aroundZero(rows.flatMap((row) => [row.value, row.lower, row.upper]));
  return h(
    'div',
    {key: scale},
    h('h4', null, caption),
    forest({
      caption,
      range,
      reference: 0,
      format: (tick) => tickText(tick, scale),
      rows: rows.map((row) => ({...row, text: scale === 'ms' ? signedMs(row.value) : change(row.value, scale)})),
      columns: [
        {title: 'Base', cell: ({metric}) => figure(metric.base)},
        {title: 'Candidate', cell: ({metric}) => figure(metric.candidate)},
        {title: 'p (Holm)', cell: ({metric}) => pValue(metric.p_value_holm)},
        {title: 'Finding', left: true, cell: ({metric}) => findingChip(metric.verdict, metric.reason)},
      ],
    }),
  );
}

const signedMs = (value) =>
  Number.isFinite(value) ? `${value < 0 ? '−' : '+'}${milliseconds(Math.abs(value))}` : '–';

function tickText(tick, scale) {
  if (scale === 'ratio') return percent(tick, 0);
  return scale === 'ms' ? signedMs(tick) : Number(tick.toFixed(4)).toString();
}

const figure = (value) => (Number.isFinite(value) && Math.abs(value) >= 10 ? count(value) : score(value));

export function slicesCard([base, candidate]) {
  const moved = movedSlices(base, candidate);
  if (moved.length === 0) return null;
  return h(
    'section',
    {class: 'card'},
    h('h3', null, 'Slices side by side'),
    h(
      'p',
      {class: 'note'},
      'Pass rates, the largest differences first. Described, not tested: some slice always moves most.',
    ),
    h(
      'table',
      {class: 'cards'},
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', {scope: 'col'}, 'Slice'),
          ['Base', 'Candidate', 'Difference', 'Trials'].map((title) => h('th', {scope: 'col', class: 'num'}, title)),
        ),
      ),
      h(
        'tbody',
        null,
        moved.map((slice) =>
          h(
            'tr',
            {key: slice.key},
            h('th', {scope: 'row'}, slice.name),
            h('td', {class: 'num', 'data-label': 'Base'}, percent(slice.before)),
            h('td', {class: 'num', 'data-label': 'Candidate'}, percent(slice.value)),
            h('td', {class: 'num', 'data-label': 'Difference'}, change(slice.difference, 'ratio')),
            h('td', {class: 'num', 'data-label': 'Trials'}, count(slice.count)),
          ),
        ),
      ),
    ),
  );
}
