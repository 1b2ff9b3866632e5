// Lines (and bands of intervals) over time, with a legend in words and marks that name what changed.
import {h} from '../core/vdom.js';
import {bandPath, linePath, linear, ticks} from './scale.js';

const W = 480;
const H = 150;
const LEFT = 46;
const BOTTOM = 24;

/**
 * series: [{name, look, points: [[x, y, lower?, upper?]...]}]; x ascending. marks: [{x, text, look?}].
 * format / formatX give the axis labels; range fixes the y axis; threshold draws a dashed line.
 */
export function timeSeries({title, series, marks = [], format, formatX, range, threshold, dots = false}) {
  const xs = series.flatMap((one) => one.points.map(([x]) => x));
  if (xs.length === 0) return null;
  const [bottom, top] = range ?? yRange(series, threshold);
  const x = linear(Math.min(...xs), Math.max(...xs), LEFT, W - 10);
  const y = linear(bottom, top, H - BOTTOM, 10);
  return h('figure', {class: 'series'},
    h('figcaption', null, title, legend(series)),
    h('svg', {class: 'chart', viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': describe(title, series, format)},
      ticks(bottom, top, 3).map((tick) => [
        h('line', {class: 'grid', x1: LEFT, x2: W - 10, y1: y(tick).toFixed(1), y2: y(tick).toFixed(1)}),
        h('text', {class: 'axis end', x: LEFT - 6, y: (y(tick) + 4).toFixed(1)}, format(tick))]),
      xTicks(x, xs, formatX),
      marks.map((mark) => h('g', {class: `mark ${mark.look ?? ''}`},
        h('line', {x1: x(mark.x).toFixed(1), x2: x(mark.x).toFixed(1), y1: 8, y2: H - BOTTOM}),
        h('path', {d: `M${(x(mark.x) - 4).toFixed(1)} 3h8l-4 6z`}, h('title', null, mark.text)))),
      Number.isFinite(threshold) && h('line', {class: 'limit', x1: LEFT, x2: W - 10, y1: y(threshold).toFixed(1),
        y2: y(threshold).toFixed(1)}),
      series.map((one) => line(one, x, y, dots))));
}

function line({look, points}, x, y, dots) {
  const band = bandPath(points.map(([at, , lower, upper]) => [x(at), yOr(y, lower), yOr(y, upper)]));
  const shown = points.filter(([, value]) => Number.isFinite(value));
  return h('g', {class: `one ${look}`},
    band && h('path', {class: 'band', d: band}),
    h('path', {class: 'line', d: linePath(points.map(([at, value]) => [x(at), yOr(y, value)]))}),
    (dots || shown.length === 1) && shown.map(([at, value]) =>
      h('circle', {class: 'dot', cx: x(at).toFixed(1), cy: y(value).toFixed(1), r: 3})));
}

const yOr = (y, value) => (Number.isFinite(value) ? y(value) : NaN);

function yRange(series, threshold) {
  const known = series.flatMap((one) => one.points.flatMap(([, ...values]) => values)).filter(Number.isFinite);
  if (Number.isFinite(threshold)) known.push(threshold);
  const most = Math.max(...known, 0);
  return [0, most > 0 ? most * 1.1 : 1];
}

function xTicks(x, xs, formatX) {
  const least = Math.min(...xs);
  const most = Math.max(...xs);
  const at = most > least ? [least, (least + most) / 2, most] : [least];
  return at.map((one, i) => h('text', {class: `axis ${['start', 'mid', 'end'][i]}`, x: x(one).toFixed(1), y: H - 6},
    formatX(one)));
}

function legend(series) {
  if (series.length < 2) return null;
  return h('span', {class: 'legend'}, series.map((one) => h('span', {class: one.look}, one.name)));
}

function describe(title, series, format) {
  const last = series.map((one) => {
    const known = one.points.filter(([, value]) => Number.isFinite(value));
    return known.length ? `${one.name} last ${format(known.at(-1)[1])}` : `${one.name} without values`;
  });
  return `${title}: ${last.join(', ')}`;
}
