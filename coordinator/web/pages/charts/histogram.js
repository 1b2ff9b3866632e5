// Bars with counts: scores 0, 1, 2, none.
import {h} from '../core/vdom.js';
import {count, percent} from '../core/format.js';

/** bars: [{name, count, look}] */
export function histogram(title, bars) {
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  const all = bars.reduce((sum, bar) => sum + bar.count, 0) || 1;
  const label = `${title}: ${bars.map((bar) => `${bar.name}: ${count(bar.count)}`).join(', ')}`;
  return h('figure', {class: 'histogram'}, h('figcaption', null, title),
    h('svg', {class: 'chart', viewBox: '0 0 240 116', role: 'img', 'aria-label': label},
      bars.map((bar, i) => {
        const height = 74 * bar.count / most;
        const x = 8 + i * 58;
        return [
          h('rect', {class: bar.look, x, y: (90 - height).toFixed(1), width: 50, height: height.toFixed(1), rx: 3},
            h('title', null, `${bar.name}: ${count(bar.count)} (${percent(bar.count / all)})`)),
          h('text', {x: x + 25, y: (84 - height).toFixed(1)}, count(bar.count)),
          h('text', {class: 'axis', x: x + 25, y: 108}, bar.name),
        ];
      }),
      h('line', {x1: 0, x2: 240, y1: 90, y2: 90})));
}

/** A score histogram of a summary: {"0": n, "1": n, "2": n, "null": n}. */
export function scoreHistogram(title, counts, twoIsBest = true) {
  const looks = twoIsBest ? ['bad', 'middle', 'good'] : ['good', 'middle', 'bad'];
  return histogram(title, [
    ...[0, 1, 2].map((one) => ({name: String(one), count: counts?.[one] ?? 0, look: looks[one]})),
    {name: 'none', count: counts?.null ?? 0, look: 'none'},
  ]);
}
