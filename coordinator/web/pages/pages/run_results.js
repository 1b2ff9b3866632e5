// The results of a run that is over: scores, failures, outcomes, repeatability, tokens, cost, cache, timing quality.
import {scoreHistogram} from '../charts/histogram.js';
import {count, milliseconds, percent, score, usd, words} from '../core/format.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';

export function resultCards(run, summary) {
  return h(
    'div',
    {key: 'results'},
    h(
      'section',
      {class: 'card'},
      h('h2', null, 'Scores'),
      h(
        'div',
        {class: 'figures small'},
        scoreHistogram('Accuracy', summary.spec.correctness_score_histogram),
        scoreHistogram('Faithfulness', summary.spec.faithfulness_score_histogram),
        scoreHistogram('Hallucination (0 is best)', summary.spec.hallucination_score_histogram, false),
      ),
    ),
    h(
      'div',
      {class: 'columns'},
      failures(run, summary),
      outcomes(run, summary),
      repeatability(summary),
      usage(summary),
      timing(summary),
    ),
  );
}

const samplesWith = (run, name, value) =>
  `${pathOf('runs', run.run_id, 'samples')}?${new URLSearchParams({[name]: value})}`;

function failures(run, summary) {
  const labels = Object.entries(summary.rubric.failure_taxonomy)
    .filter(([, one]) => one.count > 0)
    .sort((a, b) => b[1].count - a[1].count);
  const most = Math.max(1, ...labels.map(([, one]) => one.count));
  return h(
    'section',
    {class: 'card', key: 'failures'},
    h('h2', null, 'Why trials failed'),
    labels.length === 0
      ? h('p', {class: 'note'}, 'No trial has a failure label.')
      : h(
          'table',
          null,
          h('caption', {class: 'unseen'}, 'Trials by failure label'),
          h(
            'tbody',
            null,
            labels.map(([label, one]) =>
              h(
                'tr',
                {key: label},
                h('th', {scope: 'row'}, h('a', {href: samplesWith(run, 'failure_label', label)}, words(label))),
                h('td', {class: 'num'}, count(one.count)),
                h('td', {class: 'num'}, percent((one.percentage ?? NaN) / 100)),
                h(
                  'td',
                  {class: 'share-cell'},
                  h('span', {class: 'share', style: {width: `${((100 * one.count) / most).toFixed(1)}%`}}),
                ),
              ),
            ),
          ),
        ),
  );
}

function outcomes(run, summary) {
  const {outcomes: all} = summary;
  const kinds = Object.entries(all.error_kinds);
  const judge = Object.entries(all.evaluator_errors);
  return h(
    'section',
    {class: 'card', key: 'outcomes'},
    h('h2', null, 'How trials ended'),
    facts([
      ['Answered', count(all.answered_count)],
      ['Timed out', count(all.timed_out_count)],
      ...kinds.map(([kind, n]) => [h('a', {href: samplesWith(run, 'error_kind', kind)}, words(kind)), count(n)]),
      ...judge.map(([kind, n]) => [`judge: ${words(kind)}`, count(n)]),
      ['Hit the token limit', count(all.token_limit_count)],
      ['Pass rate of the answered', percent(all.answered_only?.pass_rate)],
      ['Pass rate by the specification', percent(summary.spec.pass_rate)],
    ]),
  );
}

function repeatability(summary) {
  const {repeatability: one} = summary;
  if (!one || one.repeats < 2) return null;
  return h(
    'section',
    {class: 'card', key: 'repeatability'},
    h('h2', null, 'Repeatability'),
    h(
      'p',
      {class: 'note'},
      one.established ? 'Established: enough repeats, close to each other.' : 'Not established.',
    ),
    h(
      'table',
      null,
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', {scope: 'col'}, 'Repeat'),
          h('th', {scope: 'col', class: 'num'}, 'Score'),
          h('th', {scope: 'col', class: 'num'}, 'Latency p95'),
        ),
      ),
      h(
        'tbody',
        null,
        one.per_repeat.map((repeat) =>
          h(
            'tr',
            {key: repeat.repeat},
            h('th', {scope: 'row'}, repeat.repeat),
            h('td', {class: 'num'}, score(repeat.aggregate_score)),
            h('td', {class: 'num'}, milliseconds(repeat.latency_e2e_p95_ms)),
          ),
        ),
        h(
          'tr',
          {key: 'sd'},
          h('th', {scope: 'row'}, 'Standard deviation'),
          h('td', {class: 'num'}, score(one.aggregate_score_stddev, 4)),
          h('td', {class: 'num'}, milliseconds(one.latency_e2e_p95_ms_stddev)),
        ),
      ),
    ),
  );
}

function usage(summary) {
  const {rubric, spec, extra} = summary;
  return h(
    'section',
    {class: 'card', key: 'usage'},
    h('h2', null, 'Tokens, cost, cache'),
    facts([
      ['Input tokens', count(rubric.total_input_tokens)],
      ['Output tokens', count(rubric.total_output_tokens)],
      [
        'Tokens per correct answer',
        Number.isFinite(rubric.tokens_per_correct_answer) ? count(rubric.tokens_per_correct_answer) : '–',
      ],
      ['Read from cache', count(spec.total_cache_read_input_tokens)],
      ['Written to cache', count(spec.total_cache_write_input_tokens)],
      ['Saved by cache', usd(spec.total_estimated_cache_savings_usd)],
      ['Cost of the model', usd(extra.total_cost_usd)],
      ['Cost of the judge', usd(extra.total_evaluator_cost_usd)],
    ]),
  );
}

function timing(summary) {
  const {rubric, extra} = summary;
  const quality = extra.timing_quality ?? {};
  return h(
    'section',
    {class: 'card', key: 'timing'},
    h('h2', null, 'Latency and its quality'),
    facts([
      ['End to end, p50', milliseconds(rubric.latency_e2e_p50_ms)],
      ['End to end, p95', milliseconds(rubric.latency_e2e_p95_ms)],
      ['Model, p50', milliseconds(rubric.latency_model_p50_ms)],
      ['Model, p95', milliseconds(rubric.latency_model_p95_ms)],
      ['Error below 1 ms', percent(quality.error_under_1_ms_share)],
      ['Error below 1 %', percent(quality.error_under_1_percent_share)],
      ...Object.entries(extra.latency_model_source ?? {})
        .filter(([source, n]) => n > 0 && source !== 'null')
        .map(([source, n]) => [`Model time: ${words(source)}`, count(n)]),
    ]),
  );
}

const facts = (pairs) =>
  h(
    'dl',
    {class: 'facts'},
    pairs.map(([name, value], i) => [h('dt', {key: `t${i}`}, name), h('dd', {key: `d${i}`, class: 'num'}, value)]),
  );
