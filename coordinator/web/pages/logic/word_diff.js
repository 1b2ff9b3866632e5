// The difference of two texts by words: Myers' algorithm with a bound on its work.

const MAX_WORDS = 4000;
const MAX_EDITS = 1200;

/** Words and the white space between them. */
export const wordsOf = (text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/**
 * [{kind: 'same' | 'gone' | 'new', text}], neighbours of a kind joined; null if the texts differ too much to be
 * shown so.
 */
export function wordDiff(before, after) {
  const a = wordsOf(before);
  const b = wordsOf(after);
  if (a.length > MAX_WORDS || b.length > MAX_WORDS) return null;
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) ++head;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) ++tail;
  const edits = editsOf(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  if (edits === null) return null;
  const same = (text) => ({kind: 'same', text});
  return joined([...a.slice(0, head).map(same), ...edits, ...a.slice(a.length - tail).map(same)]);
}

function editsOf(a, b) {
  const most = Math.min(a.length + b.length, MAX_EDITS);
  const offset = most + 1;
  const reach = new Int32Array(2 * most + 3);
  const trace = [];
  for (let d = 0; d <= most; ++d) {
    trace.push(reach.slice(offset - d - 1, offset + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[offset + k - 1] < reach[offset + k + 1]);
      let x = down ? reach[offset + k + 1] : reach[offset + k - 1] + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        ++x;
        ++y;
      }
      reach[offset + k] = x;
      if (x >= a.length && y >= b.length) return walkBack(a, b, trace, d);
    }
  }
  return null;
}

function walkBack(a, b, trace, edits) {
  const out = [];
  let x = a.length;
  let y = b.length;
  for (let d = edits; d > 0; --d) {
    const reach = (k) => trace[d][k + d + 1];
    const k = x - y;
    const down = k === -d || (k !== d && reach(k - 1) < reach(k + 1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = reach(fromK);
    const fromY = fromX - fromK;
    while (x > fromX + (down ? 0 : 1) && y > fromY + (down ? 1 : 0)) (out.push({kind: 'same', text: a[--x]}), --y);
    if (down) out.push({kind: 'new', text: b[--y]});
    else out.push({kind: 'gone', text: a[--x]});
  }
  while (x > 0) out.push({kind: 'same', text: a[--x]});
  return out.reverse();
}

function joined(parts) {
  const out = [];
  for (const part of parts) {
    if (out.at(-1)?.kind === part.kind) out.at(-1).text += part.text;
    else out.push({...part});
  }
  return out;
}
