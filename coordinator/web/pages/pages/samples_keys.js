// Keys of the page of samples: j and k to the next and previous sample, / to the search, Escape back to the list.

/** Listens until the function that it gives is called. Keys that somebody types into a field are theirs. */
export function onKey({next, previous, close, search}) {
  const by = {j: next, k: previous, '/': search, Escape: close};
  const listen = (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || !by[event.key]) return;
    if (event.target.closest?.('input, textarea, select, dialog')) return;
    event.preventDefault();
    by[event.key]();
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}

/** The sample of the nearest trial of another sample in that direction, shown in the list; null at its end. */
export async function stepTo(list, open, by) {
  const isOpen = (trial) => trial.sample_index === open;
  let place = open === null ? -1 : list.placeOf(isOpen);
  for (;;) {
    place += by;
    if (place < 0 || place >= list.total) return null;
    const trial = list.at(place) ?? await list.load(place);
    if (!trial) return null;
    if (isOpen(trial)) continue;
    list.reveal(place);
    return trial.sample_index;
  }
}
