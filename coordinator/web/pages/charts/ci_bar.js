// A value with its confidence interval and threshold on a rail. Decoration: the figures stand beside it as text.
import {h} from '../core/vdom.js';
import {barRange, linear} from './scale.js';

const WIDTH = 200;

/** look: good, bad or open, the colour of the value. */
export function ciBar({value, lower, upper, threshold, unit = 'share', look = 'open', range}) {
  const [from, to] = range ?? barRange({unit, value, lower, upper, threshold});
  const at = linear(from, to, 0, WIDTH);
  const has = Number.isFinite;
  return h(
    'svg',
    {class: 'ci-bar', viewBox: `0 0 ${WIDTH} 22`, preserveAspectRatio: 'none', 'aria-hidden': 'true'},
    h('rect', {class: 'rail', x: 0, y: 9, width: WIDTH, height: 4, rx: 2}),
    has(lower) &&
      has(upper) &&
      h('rect', {
        class: 'band',
        x: at(lower).toFixed(2),
        y: 6,
        height: 10,
        rx: 3,
        width: Math.max(at(upper) - at(lower), 1).toFixed(2),
      }),
    has(value) &&
      h('rect', {class: `dot ${look}`, x: Math.max(0, at(value) - 2).toFixed(2), y: 4, width: 4, height: 14, rx: 2}),
    has(threshold) &&
      h('line', {
        class: 'limit',
        x1: at(threshold).toFixed(2),
        x2: at(threshold).toFixed(2),
        y1: 0,
        y2: 22,
        'stroke-dasharray': '3 2',
      }),
  );
}
