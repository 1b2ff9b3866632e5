// Runs before the first paint, so that a chosen colour scheme does not flash up in the other one.
(() => {
  try {
    const chosen = localStorage.getItem('evalfleet-theme');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage may be forbidden; the system's scheme is then used.
  }
})();
