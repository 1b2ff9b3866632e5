// One name over nights: metrics with bands of their intervals, and marks where model, prompt, dataset or judge
// changed.
import {timeSeries} from '../charts/time_series.js';
import {get} from '../core/api.js';
import {inUnit, percent, score, time} from '../core/format.js';
import {createLoader} from '../core/loader.js';
import {pathOf} from '../core/routes.js';
import {queryOf} from '../core/url_state.js';
import {h} from '../core/vdom.js';
import {verdictOf} from '../logic/runs.js';
import {marksOf, METRICS, rangeOf, seriesOf} from '../logic/trends.js';
import {verdictChip} from '../ui/chip.js';
import {selectField} from '../ui/fields.js';
import {empty, shown} from '../ui/states.js';

export function trendsPage(app) {
  const names = createLoader(app.update);
  const trend = createLoader(app.update);
  const nameOf = () => new URLSearchParams(location.search).get('name') ?? '';
  const load = () => nameOf() !== '' && trend.load(() => get(`/trends${queryOf({name: nameOf()})}`));
  names.load(async () =>
    [...new Set((await get('/runs?limit=500')).runs.map((run) => run.name).filter(Boolean))].sort(),
  );
  load();
  return {
    title: 'Trends',
    onQuery() {
      trend.value = null;
      load();
    },
    stop() {
      names.drop();
      trend.drop();
    },
    render: () =>
      h(
        'div',
        null,
        h('div', {class: 'head'}, h('h1', {tabindex: -1}, 'Trends')),
        h(
          'div',
          {class: 'filters'},
          selectField({
            label: 'Runs called',
            value: nameOf(),
            onChange: (name) => app.go(`/trends${queryOf({name})}`),
            options: [['', 'choose…'], ...new Set([...(names.value ?? []), nameOf()].filter(Boolean))].map((one) =>
              Array.isArray(one) ? one : [one, one],
            ),
          }),
        ),
        nameOf() === ''
          ? empty('Choose a name', 'Runs of the same name make a trend.')
          : shown(trend, (value) => body(value.points), load),
      ),
  };
}

function body(points) {
  if (points.length === 0) return empty('No run of this name is over', '');
  const marks = marksOf(points);
  // Of a single day the hour tells them apart.
  const days = new Set(points.map((point) => time(point.submitted_at).slice(0, 10)));
  const formatX = (place) => time(points[Math.round(place)]?.submitted_at).slice(...(days.size > 1 ? [5, 10] : [11, 16]));
  return h(
    'div',
    null,
    h(
      'section',
      {class: 'card'},
      h(
        'div',
        {class: 'figures two'},
        METRICS.map((metric) =>
          timeSeries({
            title: metric.title,
            marks,
            formatX,
            dots: true,
            format: (value) => tickText(value, metric.unit),
            series: [{name: metric.title, look: 's1', points: seriesOf(points, metric.name)}],
            range: rangeOf(seriesOf(points, metric.name), metric),
          }),
        ),
      ),
      h(
        'p',
        {class: 'note'},
        'Bands are 95 % CI. ',
        marks.length > 0 && '▼ marks a change of model, prompt, dataset or judge.',
      ),
    ),
    h('section', {class: 'card flush'}, h('h2', null, 'Runs'), table(points)),
  );
}

const tickText = (value, unit) =>
  unit === 'share'
    ? percent(value, Number.isInteger(Math.round(value * 1e6) / 1e4) ? 0 : 1)
    : unit === 'score'
      ? score(value, 2)
      : inUnit(value, unit);

function table(points) {
  const marks = new Map(marksOf(points).map((mark) => [mark.x, mark.text]));
  const rows = points.map((point, place) => ({...point, mark: marks.get(place)})).reverse();
  return h(
    'table',
    {class: 'cards'},
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        ['Run', 'Verdict', ...METRICS.map((one) => one.title), 'What changed'].map((title) =>
          h('th', {scope: 'col', key: title}, title),
        ),
      ),
    ),
    h(
      'tbody',
      null,
      rows.map((row) =>
        h(
          'tr',
          {key: row.run_id},
          h(
            'th',
            {scope: 'row'},
            h('a', {href: pathOf('runs', row.run_id)}, time(row.submitted_at)),
            h('small', null, row.model),
          ),
          h('td', {'data-label': 'Verdict'}, verdictChip(verdictOf(row))),
          METRICS.map((metric) =>
            h(
              'td',
              {key: metric.name, 'data-label': metric.title},
              inUnit(seriesOf([row], metric.name)[0][1], metric.unit),
            ),
          ),
          h('td', {class: 'wide', 'data-label': 'What changed'}, row.mark ?? ''),
        ),
      ),
    ),
  );
}
