// Scales and ticks of charts: pure arithmetic.

/** A function from [from, to] to [begin, end], clamped to it. */
export function linear(from, to, begin, end) {
  const span = to - from || 1;
  return (value) => begin + Math.min(1, Math.max(0, (value - from) / span)) * (end - begin);
}

/** Round numbers that cover [from, to], about `wanted` of them. */
export function ticks(from, to, wanted = 4) {
  if (!(to > from)) return [from];
  const raw = (to - from) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= raw * 0.999);
  const out = [];
  for (let at = Math.ceil(from / step - 1e-9); at * step <= to + step * 1e-9; ++at) out.push(tidy(at * step));
  return out;
}

const tidy = (value) => Number(value.toPrecision(12));

/** The range of a bar that shows a value, its interval and its threshold: [from, to] with a little room. */
export function barRange({unit, value, lower, upper, threshold}) {
  const shown = [value, lower, upper, threshold].filter((one) => Number.isFinite(one));
  const most = Math.max(...shown, 0);
  if (unit === 'ms') return [0, most > 0 ? most * 1.15 : 1];
  const least = Math.min(...shown, 1);
  if (least >= 0.5) return [0.5, 1];
  return most > 0.5 ? [0, 1] : [0, most > 0 ? Math.min(1, most * 1.3) : 1];
}

/** A range around zero that holds all numbers given, with a little room. */
export function aroundZero(numbers) {
  const known = numbers.filter((one) => Number.isFinite(one));
  const most = Math.max(...known.map(Math.abs), 0);
  return most > 0 ? [-most * 1.1, most * 1.1] : [-1, 1];
}

/** Points [x, y] as the path of an SVG line; a gap where y is null. */
export function linePath(points) {
  let path = '';
  let pen = false;
  for (const [x, y] of points) {
    if (!Number.isFinite(y)) {
      pen = false;
      continue;
    }
    path += `${pen ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
    pen = true;
  }
  return path;
}

/**
 * The outline of a band between two lines over the same x: [[x, lower, upper], ...]; points without both are
 * skipped.
 */
export function bandPath(points) {
  const full = points.filter(([, lower, upper]) => Number.isFinite(lower) && Number.isFinite(upper));
  if (full.length < 2) return '';
  const there = full.map(([x, , upper], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${upper.toFixed(1)}`).join('');
  const back = [...full]
    .reverse()
    .map(([x, lower]) => `L${x.toFixed(1)} ${lower.toFixed(1)}`)
    .join('');
  return `${there}${back}Z`;
}
