// Calls that are put off: to the end of the current task, or until somebody stops typing.

/** A function that calls `work` once at the end of the current task, however often it is called. */
export function soon(work) {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    queueMicrotask(() => {
      planned = false;
      work();
    });
  };
}

/** A function that calls `work` when it has not been called for `ms`; .cancel() forgets it. */
export function afterPause(ms, work) {
  let timer = null;
  const call = (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), ms);
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}

/** Calls `work` (a promise) now and again `ms` after it has ended; gives a function that ends it. */
export function repeat(ms, work) {
  let ended = false;
  let timer = null;
  const turn = async () => {
    await work();
    if (!ended) timer = setTimeout(turn, ms);
  };
  turn();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
