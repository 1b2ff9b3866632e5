// How far a run is: done, in flight, waiting; with the numbers in words for those who do not see the bar.
import {count} from '../core/format.js';
import {h} from '../core/vdom.js';
import {progressOf} from '../logic/runs.js';

export function progressBar(run, big = false) {
  const {done, flight, waiting} = progressOf(run);
  const part = (name, share) => h('span', {class: name, key: name, style: {width: `${share.toFixed(2)}%`}});
  return h(
    'div',
    {
      class: `progress ${big ? 'big' : ''}`,
      role: 'progressbar',
      'aria-label': 'Trials done',
      'aria-valuemin': 0,
      'aria-valuemax': run.total ?? 0,
      'aria-valuenow': run.done ?? 0,
      'aria-valuetext': `${count(run.done)} of ${count(run.total)} trials`,
    },
    part('done', done),
    part('flight', flight),
    part('waiting', waiting),
  );
}
