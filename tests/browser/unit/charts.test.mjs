// Scales of charts, and that descriptions of charts and pages hold data as text only.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {load} from '../support/places.mjs';

const scale = await load('charts/scale.js');
const {h, memo, textOf, findAll} = await load('core/vdom.js');
const {ciBar} = await load('charts/ci_bar.js');
const {forest} = await load('charts/forest.js');
const {timeSeries} = await load('charts/time_series.js');
const {sparkline} = await load('charts/sparkline.js');
const {trialRow} = await load('pages/samples_row.js');
const {runsTable} = await load('pages/runs_table.js');
const {runHead} = await load('pages/run_head.js');
const {actionsFor, rejudgeBody} = await load('pages/run_actions.js');
const {throttleText} = await load('pages/run_flow.js');
const {reviewBody} = await load('pages/sample_review.js');

test('ticks are round numbers within the range', () => {
  assert.deepEqual(scale.ticks(0, 1, 4), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(scale.ticks(-0.3, 0.3, 3), [-0.2, 0, 0.2]);
  assert.deepEqual(scale.ticks(5, 5), [5]);
});

test('scales clamp what lies outside', () => {
  const at = scale.linear(0, 1, 0, 200);
  assert.deepEqual([at(-1), at(0.5), at(7)], [0, 100, 200]);
});

test('lines have gaps where a value is missing', () => {
  assert.equal(
    scale.linePath([
      [0, 1],
      [1, NaN],
      [2, 3],
    ]),
    'M0.0 1.0M2.0 3.0',
  );
  assert.equal(scale.bandPath([[0, 1, 2]]), '');
});

test('the range of a bar holds the threshold and never ends at zero', () => {
  assert.deepEqual(scale.barRange({unit: 'share', value: 0.9, threshold: 0.95}), [0.5, 1]);
  assert.deepEqual(scale.barRange({unit: 'ms', value: 0, threshold: 0}), [0, 1]);
  assert.ok(scale.barRange({unit: 'share', value: 0.01, upper: 0.04, threshold: 0.02})[1] > 0.04);
});

test('a bar without interval or value draws only its rail', () => {
  assert.equal(findAll(ciBar({value: null, threshold: undefined}), (node) => node.tag === 'rect').length, 1);
});

test('a forest plot can be read as a table', () => {
  const plot = forest({
    caption: 'c',
    range: [0, 1],
    reference: 0.5,
    format: String,
    rows: [{name: 'n', value: 0.4, text: '40 %'}],
    columns: [{title: 'T', cell: () => 'x'}],
  });
  assert.match(textOf(plot), /n40 %no intervalx$/);
});

test('charts tell their last values in words', () => {
  const chart = timeSeries({
    title: 'Latency',
    format: (v) => `${v} ms`,
    formatX: String,
    series: [
      {
        name: 'p50',
        look: 's1',
        points: [
          [0, 1],
          [1, 5],
        ],
      },
    ],
  });
  assert.equal(findAll(chart, (node) => node.props.role === 'img')[0].props['aria-label'], 'Latency: p50 last 5 ms');
  assert.equal(timeSeries({title: '', format: String, formatX: String, series: []}), null);
  assert.equal(sparkline([{value: 1}], ''), null);
});

test('a memo is built only when it is asked for', () => {
  let built = 0;
  const part = memo('k', 1, () => {
    ++built;
    return h('p', null, 'x');
  });
  assert.equal(built, 0);
  assert.equal(textOf(part), 'x');
});

test('hostile text stays text', () => {
  const evil = '<img src=x onerror=alert(1)>"\'`javascript:alert(1)';
  const row = trialRow(
    {
      sample_index: 1,
      repeat: 1,
      sample_id: evil,
      task_excerpt: evil,
      answer_excerpt: evil,
      failure_label: evil,
      passed: false,
    },
    '/x',
  );
  const table = runsTable(
    [
      {
        run_id: evil,
        name: evil,
        model: evil,
        prompt: evil,
        dataset_id: evil,
        note: evil,
        submitted_by: evil,
        description: evil,
        run_labels: {[evil]: evil, b: evil, c: evil, d: evil},
        state: evil,
        total: 1,
        done: 0,
      },
    ],
    new Set(),
    () => {},
    (label) => `/runs?${new URLSearchParams({label})}`,
  );
  const head = runHead({}, {run_id: 'r', state: evil, description: evil, run_labels: {[evil]: evil}}, 'overview');
  for (const node of [row, table, head]) {
    assert.ok(textOf(node).includes(evil));
    for (const link of findAll(node, (one) => one.props.href)) assert.match(link.props.href, /^\/[a-z]/);
    assert.equal(findAll(node, (one) => ['img', 'script'].includes(one.tag) || 'innerHTML' in one.props).length, 0);
  }
});

test('actions follow state and role', () => {
  const as = (role, readOnly = false) => ({role, read_only: readOnly});
  assert.deepEqual(actionsFor({state: 'running'}, as('reader')), []);
  assert.deepEqual(actionsFor({state: 'running'}, as('submitter')), ['pause', 'cancel']);
  assert.deepEqual(actionsFor({state: 'paused'}, as('admin')), ['resume', 'cancel']);
  assert.deepEqual(actionsFor({state: 'done'}, as('admin')), ['retry', 'rejudge', 'baseline', 'delete']);
  assert.deepEqual(actionsFor({state: 'failed'}, as('admin')), ['delete']);
  assert.deepEqual(actionsFor({state: 'done'}, as('admin', true)), []);
});

test('words and bodies that go out are what the API wants', () => {
  assert.equal(
    throttleText({provider: 'openai', refused_recently: 212, recent_s: 60, limit: 84, waiting: 61}),
    'Throttled by openai: 212 calls refused in the last minute, limit now 84 calls at once, 61 calls wait for a permit',
  );
  assert.equal(
    throttleText({provider: 'openai', refused_recently: 1, recent_s: 7, limit: 0, waiting: 0}),
    'Throttled by openai: 1 call refused in the last 7 s, 0 calls wait for a permit',
  );
  assert.equal(
    throttleText({provider: 'main', refused_recently: 0, recent_s: 60, limit: 0, waiting: 61}),
    'Throttled by main: 61 calls wait for a permit',
  );
  assert.deepEqual(rejudgeBody({provider: ' p ', model: 'm', version: ''}), {judge: {provider: 'p', name: 'm'}});
  assert.deepEqual(reviewBody({accuracy: '0', faithfulness: '', comment: ' no '}, false), {
    agree: false,
    accuracy: 0,
    faithfulness: null,
    comment: 'no',
  });
  assert.deepEqual(reviewBody({accuracy: '0', faithfulness: '1'}, true, {accuracy_score: 2, faithfulness_score: 2}), {
    agree: true,
    accuracy: 2,
    faithfulness: 2,
    comment: '',
  });
});
