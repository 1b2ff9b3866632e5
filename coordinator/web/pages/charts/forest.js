// A forest plot: one row per estimate with its interval against a reference line, as a table that can be read
// without it.
import {h} from '../core/vdom.js';
import {linear, ticks} from './scale.js';

const WIDTH = 360;

/**
 * rows: [{key, name, value, lower, upper, look, text, note, href}]; `reference` is where the line stands; `range`
 * the axis.
 * columns: further columns [{title, cell(row)}].
 */
export function forest({caption, rows, range, reference, format, columns = []}) {
  const at = linear(range[0], range[1], 6, WIDTH - 6);
  return h(
    'div',
    {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
    h(
      'table',
      {class: 'forest cards'},
      h('caption', {class: 'unseen'}, caption),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', {scope: 'col'}, h('span', {class: 'unseen'}, 'What')),
          h('th', {scope: 'col', class: 'num'}, 'Value'),
          h('th', {scope: 'col'}, h('span', {class: 'unseen'}, '95 % CI'), axis(range, at, format)),
          columns.map((column) => h('th', {scope: 'col', class: column.left ? null : 'num'}, column.title)),
        ),
      ),
      h(
        'tbody',
        null,
        rows.map((row) =>
          h(
            'tr',
            {key: row.key ?? row.name},
            h(
              'th',
              {scope: 'row'},
              row.href ? h('a', {href: row.href}, row.name) : row.name,
              row.note && h('small', null, row.note),
            ),
            h('td', {class: 'num', 'data-label': 'Value'}, row.text),
            h(
              'td',
              {class: 'plot'},
              interval(row, at, reference),
              h('span', {class: 'unseen'}, intervalText(row, format)),
            ),
            columns.map((column) =>
              h('td', {class: column.left ? null : 'num', 'data-label': column.title}, column.cell(row)),
            ),
          ),
        ),
      ),
    ),
  );
}

const intervalText = ({lower, upper}, format) =>
  Number.isFinite(lower) && Number.isFinite(upper) ? `${format(lower)} to ${format(upper)}` : 'no interval';

function axis(range, at, format) {
  return h(
    'svg',
    {class: 'plot-axis', viewBox: `0 0 ${WIDTH} 14`, 'aria-hidden': 'true'},
    ticks(range[0], range[1], 3).map((tick) =>
      h(
        'text',
        {
          x: at(tick).toFixed(1),
          y: 11,
          'text-anchor': at(tick) < 24 ? 'start' : at(tick) > WIDTH - 24 ? 'end' : 'middle',
        },
        format(tick),
      ),
    ),
  );
}

function interval({value, lower, upper, look = 'open'}, at, reference) {
  const has = Number.isFinite;
  return h(
    'svg',
    {class: 'interval', viewBox: `0 0 ${WIDTH} 20`, 'aria-hidden': 'true'},
    h('line', {class: 'zero', x1: at(reference).toFixed(1), x2: at(reference).toFixed(1), y1: 0, y2: 20}),
    has(lower) &&
      has(upper) &&
      h('path', {
        class: `whisker ${look}`,
        d: whiskerPath(at(lower).toFixed(1), at(upper).toFixed(1)),
      }),
    has(value) && h('rect', {class: `dot ${look}`, x: (at(value) - 4).toFixed(1), y: 6, width: 8, height: 8, rx: 1.5}),
  );
}

const whiskerPath = (from, to) => `M${from} 6v8M${from} 10H${to}M${to} 6v8`;
