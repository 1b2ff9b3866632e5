// Which rows of a long list are in view. Browsers do not make elements higher than some ten million pixels, so the
// scroll bar of a longer list stands for more rows per pixel.

export const MAX_HEIGHT = 8_000_000;

/** The height of the scrolled element for so many rows. */
export const heightOf = (total, rowHeight) => Math.min(total * rowHeight, MAX_HEIGHT);

/** {first, last (exclusive), top}: rows to draw, and where the first of them stands in the scrolled element. */
export function windowOf({scrollTop, viewport, total, rowHeight, spare = 6}) {
  const height = heightOf(total, rowHeight);
  const real = total * rowHeight;
  const most = Math.max(0, height - viewport);
  const share = most > 0 ? Math.min(1, Math.max(0, scrollTop / most)) : 0;
  const offset = height === real ? Math.min(scrollTop, most) : share * (real - viewport);
  const inView = Math.max(0, Math.floor(offset / rowHeight));
  const first = Math.max(0, inView - spare);
  const last = Math.min(total, inView + Math.ceil(viewport / rowHeight) + 1 + spare);
  const clamped = Math.min(Math.max(0, scrollTop), most);
  return {first, last, top: clamped - (offset - first * rowHeight)};
}

/** The scroll position that brings row `index` into view, or null if it is there already. */
export function scrollFor(index, {scrollTop, viewport, total, rowHeight}) {
  const height = heightOf(total, rowHeight);
  const real = total * rowHeight;
  const factor = height === real ? 1 : (height - viewport) / (real - viewport);
  const offset = scrollTop / factor;
  if (index * rowHeight < offset) return index * rowHeight * factor;
  if ((index + 1) * rowHeight > offset + viewport) return ((index + 1) * rowHeight - viewport) * factor;
  return null;
}

/** The offsets of the pages of `size` rows that [first, last) needs. */
export function pagesFor(first, last, size) {
  const out = [];
  for (let page = Math.floor(first / size) * size; page < last; page += size) out.push(page);
  return out;
}
