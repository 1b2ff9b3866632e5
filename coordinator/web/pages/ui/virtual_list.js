// A list of any length: only the rows in view are in the document, their data is fetched in pages as they come into
// view.
import {createRoot} from '../core/patch.js';
import {h} from '../core/vdom.js';
import {heightOf, pagesFor, scrollFor, windowOf} from '../logic/window.js';

const ROW = 60;
const PAGE = 100;
const KEPT_PAGES = 60;

/**
 * fetchPage(offset, limit) gives rows; row(data, place) describes one. `mount` is for an element of a description.
 * reset(total, firstRows) starts over, hold(rows) with rows that are all there is; refresh() draws anew; reveal(place)
 * brings a row into view.
 */
export function createVirtualList({fetchPage, row, label}) {
  let box = null;
  let root = null;
  let total = 0;
  let generation = 0;
  let held = null;
  const pages = new Map();
  const asked = new Set();

  const view = () => ({scrollTop: box.scrollTop, viewport: box.clientHeight, total, rowHeight: ROW});

  function draw() {
    if (!box) return;
    const {first, last, top} = windowOf(view());
    pagesFor(first, last, PAGE).forEach(fetchOnce);
    const rows = [];
    for (let place = first; place < last; ++place) rows.push(one(place, top + (place - first) * ROW));
    root.render(
      h(
        'div',
        {class: 'list-rows', role: 'list', 'aria-label': label, style: {height: `${heightOf(total, ROW)}px`}},
        rows,
      ),
    );
  }

  function one(place, top) {
    const data = at(place);
    return h(
      'div',
      {
        class: 'list-row',
        role: 'listitem',
        key: place,
        'aria-setsize': total,
        'aria-posinset': place + 1,
        style: {transform: `translateY(${top}px)`},
      },
      data ? row(data, place) : h('span', {class: 'state'}, '…'),
    );
  }

  async function fetchOnce(offset) {
    if (held || pages.has(offset) || asked.has(offset)) return;
    asked.add(offset);
    const mine = generation;
    try {
      const rows = await fetchPage(offset, PAGE);
      if (mine !== generation) return;
      pages.set(offset, rows);
      if (pages.size > KEPT_PAGES) pages.delete(pages.keys().next().value);
      draw();
    } catch {
      // Drawn as dots; asked for again when it next comes into view.
    } finally {
      asked.delete(offset);
    }
  }

  const at = (place) => (held ? held[place] : pages.get(Math.floor(place / PAGE) * PAGE)?.[place % PAGE]) ?? null;

  return {
    mount(dom) {
      box = dom;
      root = createRoot(dom);
      box.addEventListener('scroll', draw, {passive: true});
      const watch = new ResizeObserver(draw);
      watch.observe(box);
      draw();
      return () => {
        watch.disconnect();
        box = null;
      };
    },
    reset(newTotal, firstRows) {
      ++generation;
      total = newTotal;
      held = null;
      pages.clear();
      asked.clear();
      if (firstRows.length > 0) pages.set(0, firstRows);
      if (box) box.scrollTop = 0;
      draw();
    },
    hold(rows) {
      ++generation;
      held = rows;
      total = rows.length;
      draw();
    },
    refresh: draw,
    at,
    async load(place) {
      await fetchOnce(Math.floor(place / PAGE) * PAGE);
      return at(place);
    },
    placeOf(fits) {
      if (held) return held.findIndex(fits);
      for (const [offset, rows] of pages) {
        const found = rows.findIndex(fits);
        if (found >= 0) return offset + found;
      }
      return -1;
    },
    reveal(place) {
      if (!box) return;
      const to = scrollFor(place, view());
      if (to !== null) box.scrollTop = to;
      draw();
    },
    get total() {
      return total;
    },
  };
}
