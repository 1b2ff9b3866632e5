// One text, or its difference to another by words; what is gone and what is new also read as such.
import {h} from '../core/vdom.js';
import {wordDiff} from '../logic/word_diff.js';

export function diffView(before, after) {
  const parts = wordDiff(before, after);
  if (parts === null) return h('div', null, h('p', {class: 'note'}, 'Too different for a comparison by words.'), h('pre', null, after));
  return h('pre', {class: 'diff'}, parts.map((part) => {
    if (part.kind === 'same') return part.text;
    return part.kind === 'gone' ? h('del', {'aria-label': `removed: ${part.text}`, role: 'deletion'}, part.text)
      : h('ins', {'aria-label': `added: ${part.text}`, role: 'insertion'}, part.text);
  }));
}

export const textBlock = (title, text, level = 'h3') => (text === null || text === undefined || text === '' ? null
  : h('div', {class: 'text-block'}, h(level, null, title), h('pre', null, text)));
