// What a page has loaded: its value, or why there is none. An answer that comes after a newer question is dropped.

/** {value, error, loading, load(work)}; `changed` is called whenever one of them is another. */
export function createLoader(changed) {
  let asked = 0;
  const loader = {
    value: null,
    error: null,
    loading: false,
    async load(work) {
      const mine = ++asked;
      loader.loading = true;
      changed();
      try {
        const value = await work();
        if (mine !== asked) return;
        Object.assign(loader, {value, error: null});
      } catch (error) {
        if (mine !== asked || error.name === 'AbortError') return;
        loader.error = error;
      }
      loader.loading = false;
      changed();
    },
    drop() { ++asked; },
  };
  return loader;
}
