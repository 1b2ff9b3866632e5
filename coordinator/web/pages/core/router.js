// Goes from page to page without loading the document again. The address is the state: back, forward, reload and
// shared links all lead to the same view.
import {matchRoute} from './routes.js';

/** routes: [{pattern, open(params)}]; `onPage(match)` for another path, `onQuery()` when only the query changed. */
export function createRouter(routes, {onPage, onQuery}) {
  let path = null;
  const arrive = (isNew) => {
    const same = location.pathname === path;
    path = location.pathname;
    if (same) onQuery();
    else onPage(matchRoute(routes, path), isNew);
  };
  addEventListener('popstate', () => arrive(false));
  document.addEventListener('click', (event) => {
    const target = linkOf(event);
    if (!target) return;
    event.preventDefault();
    go(target);
  });
  function go(url, {replace = false} = {}) {
    const now = location.pathname + location.search;
    history[replace || url === now ? 'replaceState' : 'pushState'](null, '', url);
    arrive(true);
  }
  return {start: () => arrive(false), go};
}

// Links that the browser shall follow itself: other keys or buttons, downloads, new windows, files of the API.
function linkOf(event) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return null;
  const link = event.target.closest?.('a[href]');
  if (!link || link.target || link.hasAttribute('download')) return null;
  const url = new URL(link.href, location.href);
  if (url.origin !== location.origin || url.pathname.startsWith('/api') || url.pathname.startsWith('/assets'))
    return null;
  if (url.hash && url.pathname === location.pathname && url.search === location.search) return null;
  return url.pathname + url.search + url.hash;
}
