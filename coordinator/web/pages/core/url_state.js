// The state of a page as the query of its address, so that links can be shared and the back button works.

/** Reads `search` by `defaults`: a string, number, boolean or list of strings (repeated parameters) each. */
export function readState(search, defaults) {
  const query = new URLSearchParams(search);
  const state = {};
  for (const [name, fallback] of Object.entries(defaults)) {
    const values = query.getAll(name);
    state[name] = values.length === 0 ? fallback : typed(values, fallback);
  }
  return state;
}

function typed(values, fallback) {
  if (Array.isArray(fallback)) return values;
  if (typeof fallback === 'boolean') return values[0] === 'true';
  if (typeof fallback === 'number') return Number.isFinite(Number(values[0])) ? Number(values[0]) : fallback;
  return values[0];
}

/** The query of `state`, with its "?", without what is as in `defaults`; "" if nothing is left. */
export function writeState(state, defaults) {
  const query = new URLSearchParams();
  for (const [name, fallback] of Object.entries(defaults)) {
    const value = state[name];
    if (Array.isArray(fallback)) value.forEach((one) => query.append(name, one));
    else if (value !== fallback && value !== null && value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `?${text}` : '';
}

/** A query string of the members of `values` that are neither null, undefined, false, nor empty. */
export function queryOf(values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== '' && one !== false) query.append(name, String(one));
    }
  }
  const text = query.toString();
  return text ? `?${text}` : '';
}

/** Where to go after sign-in: only a path of these pages, never another site. */
export function safeNext(next) {
  if (typeof next !== 'string' || !next.startsWith('/')) return '/runs';
  const url = new URL(next, 'http://pages.invalid');
  return url.host === 'pages.invalid' && !next.startsWith('//') && !next.includes('\\')
    ? url.pathname + url.search + url.hash : '/runs';
}
