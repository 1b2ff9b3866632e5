// The colour scheme: the system's, unless the reader chose one.

export function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen) return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function toggleTheme() {
  const next = currentTheme() === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem('evalfleet-theme', next);
  } catch {
    // Storage may be forbidden; the choice then lasts until the page is loaded again.
  }
  return next;
}
