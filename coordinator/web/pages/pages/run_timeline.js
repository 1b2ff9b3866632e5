// Throughput, latency and errors of a run over its time.
import {timeSeries} from '../charts/time_series.js';
import {count, duration, milliseconds, rate, words} from '../core/format.js';
import {h} from '../core/vdom.js';
import {errorSeries, limitInSight} from '../logic/timeline.js';

export function timelineCard(timeline, summary) {
  const points = timeline?.points ?? [];
  if (points.length < 2) return null;
  const formatX = (seconds) => duration(seconds);
  const errors = errorSeries(points);
  return h(
    'section',
    {class: 'card', key: 'timeline'},
    h('h2', null, 'Over time'),
    h(
      'div',
      {class: 'figures'},
      timeSeries({
        title: 'Trials per second',
        format: (value) => rate(value, ''),
        formatX,
        series: [
          {name: 'done', look: 's1', points: points.map((point) => [point.t_s, point.done / timeline.bucket_s])},
          {name: 'passed', look: 's3', points: points.map((point) => [point.t_s, point.passed / timeline.bucket_s])},
        ],
      }),
      timeSeries({
        title: 'Latency',
        format: milliseconds,
        formatX,
        threshold: limitInSight(points, summary?.gates?.latency_e2e_p95_ms?.threshold),
        series: [
          {name: 'p50', look: 's1', points: points.map((point) => [point.t_s, point.latency_p50_ms])},
          {name: 'p95', look: 's2', points: points.map((point) => [point.t_s, point.latency_p95_ms])},
        ],
      }),
      errors.length > 0
        ? timeSeries({
            title: 'Errors',
            format: count,
            formatX,
            series: errors.map((one, i) => ({
              name: words(one.kind),
              look: `s${i + 1}`,
              points: one.points,
            })),
          })
        : h(
            'figure',
            null,
            h('figcaption', null, 'Errors'),
            h('p', {class: 'state'}, 'No call of the model ended with an error.'),
          ),
    ),
  );
}
