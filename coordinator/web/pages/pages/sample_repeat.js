// One trial: answer (or its difference to the reference), scores and rationale, failures, timing, tokens, cost,
// review.
import {waterfall} from '../charts/waterfall.js';
import {score, words} from '../core/format.js';
import {may} from '../core/session.js';
import {h} from '../core/vdom.js';
import {callFacts, rejectedReplies} from '../logic/call_facts.js';
import {passChip} from '../ui/chip.js';
import {diffView, textBlock, textBox} from '../ui/diff_view.js';
import {reviewForm} from './sample_review.js';

export function repeatCard(app, runId, record, {showDiff, toggleDiff, reference, labels, reload}) {
  const canDiff = reference && record.answer;
  const diff = canDiff && showDiff.has(record.repeat);
  return h(
    'section',
    {class: 'card', key: record.repeat, 'aria-label': `Repeat ${record.repeat}`},
    h(
      'div',
      {class: 'top'},
      h('h3', null, `Repeat ${record.repeat}`),
      passChip(record.rubric_passed),
      record.failure_label && h('span', {class: 'chip bad'}, words(record.failure_label)),
      record.failure_labels_secondary?.map((label) => h('span', {class: 'chip', key: label}, words(label))),
    ),
    scores(record),
    h(
      'div',
      {class: 'text-block'},
      h('h4', null, diff ? 'Answer against the reference' : 'Answer'),
      record.answer === null
        ? h('p', {class: 'note'}, 'no answer')
        : diff
          ? diffView(reference, record.answer)
          : textBox(record.answer),
      canDiff &&
        h(
          'button',
          {
            type: 'button',
            class: 'plain',
            'aria-pressed': diff ? 'true' : 'false',
            onclick: () => toggleDiff(record.repeat),
          },
          'Compare with the reference',
        ),
    ),
    textBlock('Why (judge)', record.rationale, 'h4'),
    textBlock('Error', record.error_message, 'h4'),
    textBlock('Why there is no judgement', record.evaluator_error_message, 'h4'),
    textBlock('Why replies of the judge were rejected', rejectedReplies(record), 'h4'),
    record.evaluator_error && textBlock("Judge's reply as it came", record.evaluator_raw_output, 'h4'),
    waterfall(record),
    figures(record),
    app.session &&
      (may(app.session, 'submitter') || app.session.mode === 'view') &&
      reviewForm(app, runId, record, labels, reload),
  );
}

function scores(record) {
  const one = (name, value) => h('span', {key: name}, `${name} `, h('b', null, value ?? '–'));
  return h(
    'div',
    {class: 'scores'},
    one('accuracy', record.accuracy_score),
    one('faithfulness', record.faithfulness_score),
    one('hallucination', record.hallucination_score),
    one('score', score(record.sample_score)),
  );
}

function figures(record) {
  const pairs = [...callFacts(record), ['Request id', h('code', null, record.provider_request_id ?? '–')]];
  return h(
    'details',
    null,
    h('summary', null, 'Call'),
    h(
      'dl',
      {class: 'facts'},
      pairs.map(([name, value]) => [h('dt', {key: `t${name}`}, name), h('dd', {key: `d${name}`}, value)]),
    ),
  );
}
