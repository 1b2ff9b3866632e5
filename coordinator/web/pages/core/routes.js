// Which page a path belongs to: pure, so that it can be tested without a browser.

/** Matches `path` against routes [{pattern: '/runs/:id', ...}]: {route, params} of the first that fits, or null. */
export function matchRoute(routes, path) {
  const parts = split(path);
  for (const route of routes) {
    const params = matchParts(split(route.pattern), parts);
    if (params) return {route, params};
  }
  return null;
}

const split = (path) => path.split('/').filter((part) => part !== '');

function matchParts(pattern, parts) {
  if (pattern.length !== parts.length) return null;
  const params = {};
  for (let i = 0; i < pattern.length; ++i) {
    if (pattern[i].startsWith(':')) {
      const value = decoded(parts[i]);
      if (value === null) return null;
      params[pattern[i].slice(1)] = value;
    } else if (pattern[i] !== parts[i]) {
      return null;
    }
  }
  return params;
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** A path of these pages from its parts, each encoded: pathOf('runs', id, 'samples'). */
export const pathOf = (...parts) => '/' + parts.map((part) => encodeURIComponent(part)).join('/');
