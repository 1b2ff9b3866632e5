// The diff, the window of the long list, the waterfall, filters, gates, comparisons, fleet warnings, run files,
// Markdown.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {load} from '../support/places.mjs';

const {wordDiff} = await load('logic/word_diff.js');
const {windowOf, heightOf, scrollFor, pagesFor, MAX_HEIGHT} = await load('logic/window.js');
const {waterfallOf} = await load('logic/waterfall.js');
const query = await load('logic/sample_query.js');
const runs = await load('logic/runs.js');
const {verdictText, gateUnit, intervalNote, intervalText, openText} = await load('logic/gates.js');
const compare = await load('logic/compare.js');
const {heldText, warningsOf} = await load('logic/fleet.js');
const labels = await load('logic/labels.js');
const {readState} = await load('core/url_state.js');
const file = await load('logic/run_file.js');
const {blocksOf, partsOf} = await load('logic/markdown.js');
const {errorSeries} = await load('logic/timeline.js');
const {seriesOf, marksOf} = await load('logic/trends.js');
const {slicesOf, movedSlices} = await load('logic/slices.js');
const {cellLook} = await load('logic/matrix.js');
const {callFacts, rejectedReplies} = await load('logic/call_facts.js');

const side = (parts, kind) =>
  parts
    .filter((part) => part.kind === 'same' || part.kind === kind)
    .map((part) => part.text)
    .join('');

test('a diff holds both texts, whatever they are', () => {
  const words = ['a', 'b', 'c', ' ', '\n', 'é', '<', 'x'];
  let seed = 7;
  const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let round = 0; round < 300; ++round) {
    const text = () => Array.from({length: random(30)}, () => words[random(words.length)]).join('');
    const [before, after] = [text(), text()];
    const parts = wordDiff(before, after);
    assert.equal(side(parts, 'gone'), before);
    assert.equal(side(parts, 'new'), after);
  }
});

test('a diff is by words, and small where little changed', () => {
  assert.deepEqual(wordDiff('the red car', 'the blue car'), [
    {kind: 'same', text: 'the '},
    {kind: 'gone', text: 'red'},
    {kind: 'new', text: 'blue'},
    {kind: 'same', text: ' car'},
  ]);
  assert.deepEqual(wordDiff('same', 'same'), [{kind: 'same', text: 'same'}]);
  assert.deepEqual(wordDiff('', ''), []);
});

test('a diff of texts without end gives up instead of taking forever', () => {
  assert.equal(wordDiff('a '.repeat(10_000), 'b '.repeat(10_000)), null);
  assert.equal(
    wordDiff(
      Array.from({length: 1500}, (_, i) => `a${i}`).join(' '),
      Array.from({length: 1500}, (_, i) => `b${i}`).join(' '),
    ),
    null,
  );
});

test('the window of a list shows the rows at the scroll position', () => {
  const {first, last, top} = windowOf({scrollTop: 600, viewport: 300, total: 1000, rowHeight: 60, spare: 2});
  assert.deepEqual([first, last, top], [8, 18, 480]);
  assert.deepEqual(windowOf({scrollTop: 0, viewport: 300, total: 0, rowHeight: 60}), {first: 0, last: 0, top: 0});
});

test('every row of a million can be reached, the first and the last exactly', () => {
  const list = {viewport: 600, total: 1_000_000, rowHeight: 60};
  assert.equal(heightOf(list.total, list.rowHeight), MAX_HEIGHT);
  const end = windowOf({...list, scrollTop: MAX_HEIGHT - list.viewport});
  assert.equal(end.last, list.total);
  assert.ok(Math.abs(end.top + (end.last - end.first) * 60 - MAX_HEIGHT) < 1, 'the last row ends where the list ends');
  for (const index of [0, 1, 499_999, 999_998, 999_999]) {
    const from = index > 500_000 ? 0 : MAX_HEIGHT - list.viewport;
    const to = scrollFor(index, {...list, scrollTop: from});
    const {first, last} = windowOf({...list, scrollTop: to ?? from, spare: 1});
    assert.ok(first <= index && index < last, `row ${index} in ${first}..${last}`);
  }
});

test('pages are asked for as often as rows need them', () => {
  assert.deepEqual(pagesFor(95, 205, 100), [0, 100, 200]);
  assert.deepEqual(pagesFor(0, 0, 100), []);
});

test('phases follow each other; first byte and model begin together; what is unknown is left out', () => {
  const {phases, total, bound} = waterfallOf({
    timing: {
      queue_wait_ms: 10,
      permit_wait_ms: 5,
      retry_wait_ms: null,
      connect_ms: 2,
      first_byte_ms: 30,
      model_ms: 50,
      judge_ms: 20,
    },
    timing_error_bound_ms: 0.4,
  });
  assert.deepEqual(
    phases.map(({name, begin, length}) => [name, begin, length]),
    [
      ['queue', 0, 10],
      ['permit', 10, 5],
      ['connect', 15, 2],
      ['first-byte', 17, 30],
      ['model', 17, 50],
      ['judge', 67, 20],
    ],
  );
  assert.equal(total, 87);
  assert.equal(bound, 0.4);
  assert.deepEqual(waterfallOf({}).phases, []);
});

test('filters in force can be named and taken away one by one', () => {
  const state = {...query.DEFAULTS, passed: 'false', tag: ['topic:a', 'topic:b'], repeats_disagree: true};
  const active = query.activeFilters(state);
  assert.deepEqual(
    active.map((one) => one.text),
    ['passed: false', 'tag: topic:a', 'tag: topic:b', 'repeats disagree'],
  );
  assert.deepEqual(query.without(state, active[1]).tag, ['topic:b']);
  assert.equal(query.without(state, active[0]).passed, '');
  assert.deepEqual(active.reduce(query.without, state), query.DEFAULTS);
});

test('half-typed numbers are not sent as filters', () => {
  const sent = query.trialsQuery({...query.DEFAULTS, latency_min_ms: '12', latency_max_ms: '1e', cost_min: '-3'});
  assert.deepEqual([sent.latency_min_ms, sent.latency_max_ms, sent.cost_min, sent.sort], ['12', '', '', '']);
});

test('facets come in a fixed order, their most frequent value first', () => {
  const facets = query.facetsOf({task_type: {qa: 1}, passed: {true: 5, false: 9}, failure_label: {}});
  assert.deepEqual(
    facets.map((one) => one.name),
    ['passed', 'task_type'],
  );
  assert.deepEqual(facets[0].values[0], ['false', 9]);
});

test('a verdict is open until there is one', () => {
  assert.equal(runs.verdictOf({release_ready: null}), 'open');
  assert.equal(runs.verdictOf({release_ready: true}), 'ready');
  assert.equal(runs.verdictOf({release_ready: false, measured: 'not_measured'}), 'not_measured');
  assert.equal(runs.verdictOf({release_ready: false, measured: 'complete'}), 'not_ready');
  assert.equal(runs.verdictOf({verdict: 'ready', release_ready: false}), 'ready');
  assert.equal(runs.verdictOf({verdict: 'open', release_ready: false}), 'not_ready');
});

test('a changed run takes its own place and no other', () => {
  const list = [
    {run_id: 'a', done: 1},
    {run_id: 'b', done: 1, note: 'x'},
  ];
  assert.deepEqual(runs.replaced(list, {run_id: 'b', done: 2}), [
    {run_id: 'a', done: 1},
    {run_id: 'b', done: 2, note: 'x'},
  ]);
  assert.equal(runs.replaced(list, {run_id: 'c'}), null);
});

test('histories are by name, oldest first, of runs that are over', () => {
  const run = (run_id, name, state, pass_rate) => ({run_id, name, state, pass_rate, release_ready: true});
  const found = runs.histories([
    run('3', 'n', 'done', 0.9),
    run('2', 'n', 'running', 0.5),
    run('1', 'n', 'done', 0.8),
    run('0', 'm', 'done', null),
  ]);
  assert.deepEqual([...found.keys()], ['n']);
  assert.deepEqual(
    found.get('n').map((point) => point.value),
    [0.8, 0.9],
  );
});

test('the parts of a progress bar never exceed it', () => {
  const {done, flight, waiting} = runs.progressOf({total: 10, done: 9, in_flight: 5, waiting: 5, retrying: 5});
  assert.deepEqual([done, flight, waiting], [90, 10, 10]);
  assert.equal(runs.progressOf({total: 0, done: 0}).done, 0);
});

test('the verdict says what failed and what is not decided', () => {
  const gates = {
    aggregate_score: {passed: true},
    pass_rate: {passed: false},
    faithfulness_failure_rate: {passed: true},
    latency_e2e_p95_ms: {passed: true},
  };
  const text = verdictText(
    {state: 'done', release_ready: false, measured: 'complete'},
    {gates, extra: {gates_decided: {pass_rate: {decided: false}}}},
  );
  assert.equal(text.headline, 'Not ready');
  assert.match(text.sentence, /1 of 4 gates does not hold: pass rate; not decided beyond chance: pass rate/);
  assert.equal(verdictText({state: 'failed', note: 'no key'}).sentence, 'no key');
  assert.equal(gateUnit({name: 'latency_e2e_p95_ms'}), 'ms');
});

test('the runs of a comparison survive the address', () => {
  const chosen = {base: 'a&b', candidates: ['c', 'd,e'.replace(',', '.')]};
  assert.deepEqual(compare.chosenRuns(compare.compareQuery(chosen)), chosen);
  assert.equal(compare.compareQuery({base: '', candidates: []}), '');
  assert.deepEqual(compare.chosenRuns('?base=a&candidate=b,,b&candidate=c'), {base: 'a', candidates: ['b', 'c']});
});

test('metrics are plotted by their scale', () => {
  const metric = (name, scale, verdict) => ({name, scale, verdict, difference: 0.1, higher_is_better: true});
  const rows = compare.metricRows({
    metrics: [metric('pass_rate', 'difference', 'worse'), metric('latency', 'ratio', 'better')],
  });
  assert.deepEqual([rows.difference[0].look, rows.ratio[0].look], ['bad', 'good']);
  assert.match(
    compare.verdictSentence({verdict: 'worse', metrics: [metric('pass_rate', 'difference', 'worse')]}),
    /pass rate/,
  );
});

test('labels of a run are told as key=value, in the order of their keys', () => {
  assert.deepEqual(labels.labelsOf({run_labels: {commit: '41ed580', branch: 'a=b, c'}}), [
    'branch=a=b, c',
    'commit=41ed580',
  ]);
  assert.deepEqual(labels.labelsOf({}), []);
  assert.deepEqual(labels.labelsOf({run_labels: null}), []);
});

test('a label narrows once, and only if the API can read it', () => {
  assert.deepEqual(labels.withLabel([], ' branch=main '), ['branch=main']);
  assert.deepEqual(labels.withLabel(['branch=main'], 'branch=main'), ['branch=main']);
  assert.deepEqual(labels.withLabel(['branch=main'], 'pr='), ['branch=main', 'pr=']);
  for (const text of ['', 'main', '=main']) assert.equal(labels.withLabel(['a=b'], text), null, text);
  const full = Array.from({length: 32}, (_, i) => `k${i}=v`);
  assert.equal(labels.withLabel(full, 'one=more'), null, 'as many as the API takes');
});

test('a link to a label keeps the other filters of the address', () => {
  const defaults = {q: '', label: []};
  const state = {q: 'x y', label: ['a=b&c']};
  const search = labels.labelSearch(state, defaults, 'branch=<b>"&?#');
  assert.deepEqual(readState(search, defaults), {q: 'x y', label: ['a=b&c', 'branch=<b>"&?#']});
  assert.deepEqual(state.label, ['a=b&c'], 'the filters in force stay as they are');
});

test('a worker that lends slots out may hold more trials than it has slots', () => {
  assert.equal(heldText(9, 8), '9 trials, 8 slots');
  assert.equal(heldText(1, 1), '1 trial, 1 slot');
  assert.equal(heldText(0, 8), '0 trials, 8 slots');
  assert.equal(heldText(undefined, 8), '– trials, 8 slots');
});

test('each trouble of the fleet has a warning and a runbook, a healthy fleet none', () => {
  const healthy = {redis: {reachable: true, used_bytes: 1, max_bytes: 0}, runs: []};
  assert.deepEqual(warningsOf([{name: 'w', loop_lag_ms: 1}], healthy), []);
  const names = (...args) => warningsOf(...args).map((one) => one.runbook);
  assert.deepEqual(names([], {...healthy, runs: [{outstanding: 5}]}), ['EvalfleetNoWorkers']);
  assert.deepEqual(names([{}], {redis: {reachable: false}}), ['EvalfleetRedisUnreachable']);
  assert.deepEqual(names([{}], {redis: {reachable: true, used_bytes: 95, max_bytes: 100}}), [
    'EvalfleetRedisNearMaxmemory',
  ]);
  assert.deepEqual(names([{}], {...healthy, limits: [{limit_key: 'p', refused: 3, waiting: 2}]}), [
    'EvalfleetProviderThrottled',
  ]);
  assert.deepEqual(
    names([{}], {...healthy, limits: [{limit_key: 'p', refused: 3, waiting: 0, refused_s_ago: 4000}]}),
    [],
    'long ago',
  );
  assert.deepEqual(names([{name: 'w', unreachable: {p: 'no route'}}], healthy), ['EvalfleetProviderFailing']);
  assert.deepEqual(names([{}], {...healthy, runs: [{run_id: 'r', oldest_job_s: 1000}]}), ['EvalfleetOldestJobTooOld']);
});

test('a run file of the form is YAML whatever is typed', () => {
  const text = file.runFileOf({
    name: 'a: "b"\n#c',
    dataset: 'qa',
    provider: 'p',
    model: 'm',
    version: '',
    judgeProvider: '',
    judge: 'j',
    repeats: 'x',
    system: '',
    template: 'one\ntwo: {{task}}',
  });
  assert.match(text, /^name: "a: \\"b\\"\\n#c"$/m);
  assert.match(text, /^ {2}template: \|-\n {4}one\n {4}two: \{\{task\}\}$/m);
  assert.match(text, /^repeats: 1$/m);
});

test('faults are found at their line', () => {
  assert.deepEqual(
    [...file.faultsByLine([{line: 2, field: 'a', message: 'x'}, {line: 2, message: 'y'}, {message: 'z'}])],
    [
      [2, ['a: x', 'y']],
      [0, ['z']],
    ],
  );
  assert.deepEqual(file.lineSpan('ab\ncde\nf', 2), [3, 6]);
});

test('runbooks become blocks, and links and code their own parts', () => {
  assert.deepEqual(
    blocksOf('# T\n\none\ntwo\n\n1. a\n   more\n2. b\n\n```sh\nx <y>\n```\n').map((one) => [
      one.kind,
      one.items ?? one.text,
    ]),
    [
      ['h1', 'T'],
      ['p', 'one two'],
      ['ol', ['a more', 'b']],
      ['pre', 'x <y>\n'],
    ],
  );
  assert.deepEqual(
    partsOf('see `a` and [b](#c)').map((part) => part.kind),
    ['text', 'code', 'text', 'link'],
  );
});

test('errors over time are the most frequent kinds, zero where there was none', () => {
  const series = errorSeries([{t_s: 0, errors: {timeout: 1}}, {t_s: 1, errors: {timeout: 2, connect: 9}}, {t_s: 2}]);
  assert.deepEqual(series, [
    {
      kind: 'connect',
      points: [
        [0, 0],
        [1, 9],
        [2, 0],
      ],
    },
    {
      kind: 'timeout',
      points: [
        [0, 1],
        [1, 2],
        [2, 0],
      ],
    },
  ]);
});

test('a trend has its intervals and marks what changed', () => {
  const points = [
    {pass_rate: 0.5, changed: ['model']},
    {pass_rate: null, changed: []},
    {pass_rate: 0.7, pass_rate_ci95_lower: 0.6, changed: {prompt: true, judge: false}},
  ];
  assert.deepEqual(seriesOf(points, 'pass_rate')[2].slice(0, 3), [2, 0.7, 0.6]);
  assert.ok(Number.isNaN(seriesOf(points, 'pass_rate')[1][1]));
  assert.deepEqual(marksOf(points), [{x: 2, text: 'prompt changed'}]);
});

test('slices know their filter, and those that moved most come first', () => {
  const summary = (a, b) => ({
    extra: {slice_tests: {task_type: {x: {verdict: 'lower', rubric_pass_rate_p_value_bh: 0.01}}}},
    slices: {
      task_type: {x: {rubric: {pass_rate: a, total_count: 3}}},
      tags: {topic: {y: {rubric: {pass_rate: b, total_count: 3}}}},
    },
  });
  const slices = slicesOf(summary(0.5, 0.9));
  assert.deepEqual(
    slices.map((one) => [one.name, one.look, one.filter]),
    [
      ['task type: x', 'bad', {task_type: 'x'}],
      ['topic: y', 'open', {tag: 'topic:y'}],
    ],
  );
  assert.deepEqual(
    movedSlices(summary(0.5, 0.9), summary(0.6, 0.5)).map((one) => one.key),
    ['topic=y', 'task type=x'],
  );
});

test('a slice has the interval of its samples, a colour if its test found something, grey below 20', () => {
  const rubric = {pass_rate: 0.9, pass_rate_ci95_lower: 0.89, pass_rate_ci95_upper: 0.91, total_count: 900};
  const tests = {
    worse: {
      samples: 30,
      verdict: 'lower',
      rubric_pass_rate_ci95_lower: 0.7,
      rubric_pass_rate_ci95_upper: 0.95,
      reason: null,
    },
    better: {samples: 30, verdict: 'higher', rubric_pass_rate_p_value_bh: 0.001},
    same: {samples: 30, verdict: 'nothing_found', rubric_pass_rate_p_value_bh: 0.3},
    few: {samples: 5, verdict: 'not_tested', reason: '5 samples, 20 are needed'},
  };
  const summary = {
    extra: {slice_tests: {task_type: tests}},
    slices: {task_type: Object.fromEntries(Object.keys(tests).map((name) => [name, {rubric}]))},
  };
  const slices = slicesOf(summary);
  assert.deepEqual(
    slices.map((one) => one.look),
    ['bad', 'good', 'open', 'faint'],
  );
  assert.deepEqual([slices[0].lower, slices[0].upper, slices[0].samples], [0.7, 0.95, 30]);
  assert.equal(slices[3].note, '5 samples, 20 are needed');
  assert.ok(!movedSlices(summary, summary).some((one) => one.key === 'task type=few'));
});

test('intervals say what they are', () => {
  const latency = {
    name: 'latency_e2e_p95_ms',
    unit: 'ms',
    ci95_lower: null,
    ci95_upper: null,
    share_over_ci95_lower: 0.01,
    share_over_ci95_upper: 0.04,
  };
  assert.equal(intervalText(latency), '1.0 % to 4.0 % of all trials above the limit (5\u00a0%\u00a0allowed)');
  assert.equal(
    intervalText({...latency, ci95_lower: 2100, ci95_upper: 2400}),
    '95 % CI 2.10 s to 2.40 s; 1.0 % to 4.0 % of all trials above the limit (5\u00a0%\u00a0allowed)',
  );
  assert.equal(intervalText({...latency, share_over_ci95_lower: null}), 'no interval');
  assert.equal(
    intervalText({...latency, share_over_ci95_lower: null}, {extra: {latency_e2e_p95_ci95_reason: 'too few'}}),
    'no interval: too few',
  );
  assert.equal(
    intervalText({name: 'pass_rate', unit: 'rate', ci95_lower: 0.8, ci95_upper: 0.9}),
    '95 % CI 80.0 % to 90.0 %',
  );
  const live = {intervals: 'always_valid', interval_samples: 120, gates_note: null};
  assert.match(intervalNote(live), /first 120 samples .* holds however often you look/);
  assert.match(
    intervalNote({...live, gates_note: 'the pass rate moved'}),
    /Nothing is decided: the pass rate moved\./,
  );
  assert.match(intervalNote(live, {}), /ended early/);
  assert.match(intervalNote({intervals: 'fixed_size'}, {}), /went to its end/);
});

test('what is open says why, and how many samples would decide it', () => {
  assert.equal(
    openText({open_because: ['unscored'], samples_needed: 640}),
    'open: it turns with answers that have no score; about 640 samples would decide it (more repeats would not)',
  );
  const latency = {name: 'latency_e2e_p95_ms', share_over_ci95_lower: 0.01, share_over_ci95_upper: 0.07};
  const because = {open_because: ['interval', 'few_samples'], samples_needed: null};
  assert.equal(
    openText(because, latency),
    'open: the share of trials above the limit may be on either side of 5 %',
  );
  assert.equal(openText({open_because: ['few_samples']}, latency), 'open: so few samples could look like this by chance');
  assert.equal(
    openText({open_because: ['small_sample', 'interval', 'few_samples']}, {name: 'pass_rate'}),
    'open: too few samples for an interval',
  );
  assert.match(openText(because, {name: 'latency_e2e_p95_ms'}), /too few trials to say how many are above the limit/);
  assert.match(openText(because, {name: 'pass_rate'}), /the interval reaches across the threshold/);
  assert.equal(openText({open_because: [], samples_needed: null}), null);
  assert.equal(openText(undefined), null);
});

test('cells have five looks', () => {
  assert.deepEqual([0, 0.2, 0.5, 0.79, 0.8, 1, null].map(cellLook), ['q0', 'q1', 'q2', 'q3', 'q4', 'q4', '']);
});

test('a trial tells how the judge was asked, how its last reply ended, and why replies were rejected', () => {
  const record = {attempts: 1, input_tokens: 10, output_tokens: 7, reasoning_tokens: 5,
    refused_parameters: ['temperature'], evaluator_attempts: 2, evaluator_finish_reason: 'length',
    evaluator_refused_parameters: ['seed', 'response_format'],
    evaluator_reply_faults: ['rationale is missing', 'the reply is not JSON'],
    evaluator_failed_attempts: {http_429: 1}};
  const facts = new Map(callFacts(record));
  assert.equal(facts.get("Judge's finish reason"), 'length');
  assert.equal(facts.get("Left out of the judge's request"), 'seed, response_format');
  assert.equal(facts.get('Left out of the request'), 'temperature');
  assert.match(facts.get('Judge attempts'), /^2 \(1 × /);
  assert.equal(facts.get('Tokens'), '10 in, 7 out (5 reasoning)');
  assert.equal(rejectedReplies(record), '1. rationale is missing\n2. the reply is not JSON');
});

test('a trial whose judge replied well tells nothing of rejected replies', () => {
  assert.equal(rejectedReplies({evaluator_reply_faults: []}), null);
  assert.equal(rejectedReplies({}), null);
  const facts = new Map(callFacts({attempts: 1, refused_parameters: [], evaluator_refused_parameters: []}));
  assert.ok(!facts.has('Left out of the request'));
});

test('runs side by side are told apart by name, else by model, else by id', () => {
  const {distinctNames} = compare;
  const run = (run_id, name, model) => ({run_id, name, model});
  const names = (runs) => [...distinctNames(runs, runs.map((one) => one.run_id)).values()];
  assert.deepEqual(names([run('1', 'a', 'm'), run('2', 'b', 'm')]), ['a', 'b']);
  assert.deepEqual(names([run('1', 'a', 'm'), run('2', 'a', 'n')]), ['a (m)', 'a (n)']);
  assert.deepEqual(names([run('1', 'a', 'm'), run('2', 'a', 'm')]), ['a (1)', 'a (2)']);
  assert.deepEqual([...distinctNames([], ['x', 'y']).values()], ['x', 'y']);
});
