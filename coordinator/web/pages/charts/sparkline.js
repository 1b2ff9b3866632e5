// A small line of pass rates over runs with a mark per verdict: filled circle = ready, hollow square = not ready.
import {h} from '../core/vdom.js';
import {linePath, linear} from './scale.js';

const WIDTH = 96;
const HEIGHT = 24;

/** points: [{value, verdict}], the oldest first. */
export function sparkline(points, label) {
  const known = points.filter((point) => Number.isFinite(point.value));
  if (known.length < 2) return null;
  const values = known.map((point) => point.value);
  const least = Math.min(...values);
  const most = Math.max(...values);
  const room = Math.max((most - least) * 0.2, 0.01);
  const x = linear(0, known.length - 1, 5, WIDTH - 5);
  const y = linear(least - room, most + room, HEIGHT - 4, 4);
  return h('svg', {class: 'sparkline', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label},
    h('path', {class: 'line', d: linePath(known.map((point, i) => [x(i), y(point.value)]))}),
    known.map((point, i) => mark(x(i), y(point.value), point.verdict)));
}

function mark(x, y, verdict) {
  if (verdict === 'ready') return h('circle', {class: 'good', cx: x.toFixed(1), cy: y.toFixed(1), r: 2.2});
  if (verdict === 'not_ready') {
    return h('rect', {class: 'bad', x: (x - 2.2).toFixed(1), y: (y - 2.2).toFixed(1), width: 4.4, height: 4.4});
  }
  return h('circle', {class: 'none', cx: x.toFixed(1), cy: y.toFixed(1), r: 1.6});
}
