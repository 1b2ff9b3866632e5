// How long to wait before the connection is tried again.

const FIRST_MS = 500;
const LONGEST_MS = 10_000;

/** Doubling from half a second to ten; `random` in [0, 1) spreads many browsers after a restart. */
export function delayAfter(failures, random = Math.random()) {
  const most = Math.min(FIRST_MS * 2 ** Math.min(failures, 10), LONGEST_MS);
  return most * (0.5 + random / 2);
}
