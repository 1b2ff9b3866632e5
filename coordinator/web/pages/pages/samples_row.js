// One row of the list of trials.
import {milliseconds, score, usd, words} from '../core/format.js';
import {h} from '../core/vdom.js';
import {passChip} from '../ui/chip.js';

export function trialRow(trial, href, isOpen) {
  const why = trial.error_kind ?? trial.failure_label;
  return h(
    'a',
    {href, 'aria-current': isOpen ? 'true' : null},
    h('span', null, passChip(trial.passed), h('small', null, `repeat ${trial.repeat}`)),
    h(
      'span',
      {class: 'lines'},
      h('span', null, trial.task_excerpt || `sample ${trial.sample_index}`),
      h(
        'span',
        {class: 'answer'},
        why && h('b', null, words(why)),
        why && ' · ',
        trial.answer_excerpt ?? 'no answer',
        ` · ${trial.sample_id || trial.sample_index}`,
      ),
    ),
    h(
      'span',
      {class: 'num'},
      score(trial.score, 2),
      h('small', null, `${trial.accuracy ?? '–'} / ${trial.faithfulness ?? '–'}`),
    ),
    h('span', {class: 'num extra'}, milliseconds(trial.latency_e2e_ms)),
    h('span', {class: 'num extra'}, usd(trial.cost_usd), h('small', null, `${trial.total_tokens ?? '–'} tok`)),
  );
}
