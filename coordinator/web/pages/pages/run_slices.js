// Slices by task type and tag as a forest plot against the pass rate of the whole run.
import {forest} from '../charts/forest.js';
import {count, percent, pValue} from '../core/format.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';
import {slicesOf} from '../logic/slices.js';

export function sliceCard(run, summary) {
  const slices = slicesOf(summary);
  if (slices.length < 2) return null;
  const path = pathOf('runs', run.run_id, 'samples');
  return h(
    'section',
    {class: 'card', key: 'slices'},
    h('h2', null, 'Slices'),
    h(
      'p',
      {class: 'note'},
      `Pass rate with 95 % CI; the dashed line is the whole run, ${percent(summary.rubric.pass_rate)}. `,
      'A slice is coloured if its test says that it differs from the rest; ',
      'p-values are corrected for the number of tests. ',
      'Grey: too few samples to say anything.',
    ),
    forest({
      caption: 'Pass rate by slice',
      range: [0, 1],
      reference: summary.rubric.pass_rate ?? 0,
      format: (tick) => percent(tick, 0),
      rows: slices.map((slice) => ({
        ...slice,
        text: percent(slice.value),
        href: `${path}?${new URLSearchParams(slice.filter)}`,
      })),
      columns: [
        {title: 'Samples', cell: (row) => count(row.samples)},
        {title: 'Trials', cell: (row) => count(row.count)},
        {title: 'p', cell: (row) => pValue(row.p)},
      ],
    }),
  );
}
