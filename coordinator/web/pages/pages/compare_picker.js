// Which runs are compared: the base, pinned, and one or more candidates.
import {time} from '../core/format.js';
import {h} from '../core/vdom.js';
import {selectField} from '../ui/fields.js';

export function runPicker(runs, {base, candidates}, choose) {
  const known = new Set(runs.map((run) => run.run_id));
  const options = [
    ['', 'choose…'],
    ...runs.map((run) => [run.run_id, `${time(run.submitted_at)} · ${run.name || run.run_id} · ${run.model}`]),
    ...[base, ...candidates].filter((id) => id && !known.has(id)).map((id) => [id, id]),
  ];
  const others = options.filter(([id]) => id !== base);
  return h(
    'div',
    {class: 'filters card picker'},
    selectField({label: 'Base (pinned)', value: base, options, onChange: (id) => choose({base: id, candidates})}),
    candidates.map((one, i) =>
      selectField({
        label: `Candidate ${i + 1}`,
        value: one,
        options: others,
        onChange: (id) =>
          choose({base, candidates: candidates.flatMap((other, at) => (at === i ? (id ? [id] : []) : [other]))}),
      }),
    ),
    candidates.length < 6 &&
      selectField({
        label: candidates.length ? 'One more' : 'Candidate',
        value: '',
        options: others.filter(([id]) => !candidates.includes(id)),
        onChange: (id) => id && choose({base, candidates: [...candidates, id]}),
      }),
    base &&
      candidates.length === 1 &&
      h(
        'button',
        {type: 'button', key: 'swap', onclick: () => choose({base: candidates[0], candidates: [base]})},
        '⇄ Swap',
      ),
  );
}
