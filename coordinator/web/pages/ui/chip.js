// States, verdicts and outcomes in a word with a sign, coloured besides.
import {h} from '../core/vdom.js';
import {words} from '../core/format.js';

const chip = (look, text, title) => h('span', {class: `chip ${look}`, title}, text);

const STATES = {
  queued: ['', '○ queued'],
  running: ['active', '▶ running'],
  paused: ['unsure', '‖ paused'],
  cancelling: ['unsure', '◌ cancelling'],
  cancelled: ['', '⊘ cancelled'],
  finishing: ['active', '▶ finishing'],
  done: ['', '● done'],
  failed: ['bad', '✗ failed'],
};

export function stateChip(state) {
  const [look, text] = STATES[state] ?? ['', words(state)];
  return chip(look, text);
}

const VERDICTS = {
  ready: ['good', '✓ ready'],
  not_ready: ['bad', '✗ not ready'],
  not_measured: ['unsure', '? not measured'],
  open: ['', '… open'],
};

export function verdictChip(verdict) {
  const [look, text] = VERDICTS[verdict] ?? VERDICTS.open;
  return chip(look, text);
}

export const passChip = (passed) =>
  passed === null || passed === undefined ? chip('', '–') : passed ? chip('good', '✓ pass') : chip('bad', '✗ fail');

const DECISIONS = {pass: ['good', '✓ pass, decided'], fail: ['bad', '✗ fail, decided'], open: ['unsure', '… open']};

export function decisionChip(decided) {
  const [look, text] = DECISIONS[decided] ?? DECISIONS.open;
  return chip(look, text);
}

const FINDINGS = {
  worse: ['bad', '▼ worse'],
  better: ['good', '▲ better'],
  no_worse: ['good', '= no worse'],
  cannot_tell: ['', '? cannot tell'],
  nothing_found: ['', '= nothing found'],
};

export function findingChip(finding, why) {
  const [look, text] = FINDINGS[finding] ?? ['', words(finding)];
  return chip(look, text, why ?? undefined);
}
