// The release gates with observed value, threshold and confidence interval, and the verdict they make together.
import {ciBar} from '../charts/ci_bar.js';
import {inUnit, words} from '../core/format.js';
import {h} from '../core/vdom.js';
import {gateUnit, intervalNote, intervalText, openText, verdictText} from '../logic/gates.js';
import {isOver, verdictOf} from '../logic/runs.js';
import {decisionChip} from '../ui/chip.js';

const LOOKS = {pass: 'good', fail: 'bad', open: 'open'};

export function gateCards(live, summary) {
  return h(
    'div',
    {key: 'gates'},
    h(
      'ul',
      {class: 'gates', 'aria-label': 'Gates'},
      live.gates.map((gate) => card(gate, summary)),
    ),
    h('p', {class: 'note under'}, intervalNote(live, summary)),
  );
}

function card(gate, summary) {
  const unit = gateUnit(gate);
  const look = LOOKS[gate.decided] ?? 'open';
  const why = openText(summary?.extra?.gates_decided?.[gate.name], gate);
  return h(
    'li',
    {class: 'card', key: gate.name},
    h('div', {class: 'gate-title'}, gate.title ?? words(gate.name)),
    h('div', {class: 'gate-value'}, inUnit(gate.observed, unit), decisionChip(gate.decided)),
    ciBar({
      value: gate.observed,
      lower: gate.ci95_lower,
      upper: gate.ci95_upper,
      threshold: gate.threshold,
      unit,
      look,
    }),
    h(
      'p',
      {class: 'note'},
      `required ${gate.comparison === '<=' ? '≤' : '≥'} ${inUnit(gate.threshold, unit)}`,
      gate.decided === 'open' &&
        typeof gate.met === 'boolean' &&
        `, ${gate.met ? 'held' : 'missed'}${summary ? '' : ' so far'}`,
      h('br'),
      intervalText(gate, summary),
      why && [h('br'), why],
    ),
  );
}

export function verdictBanner(run, summary) {
  if (!isOver(run)) return null;
  const verdict = verdictOf(run);
  const look = {ready: 'good', not_ready: 'bad', not_measured: 'unsure'}[verdict] ?? '';
  const {headline, sentence} = verdictText(run, summary);
  return h(
    'section',
    {class: `verdict ${look}`, 'aria-label': 'Verdict', key: 'verdict'},
    h('strong', null, headline),
    h('p', null, sentence),
  );
}
