// One text, or its difference to another by words; what is gone and what is new also read as such.
import {h} from '../core/vdom.js';
import {wordDiff} from '../logic/word_diff.js';

// Long texts scroll in their box, which the keyboard must reach.
const isLong = (text) => text.length > 600 || text.split('\n').length > 15;

export const textBox = (text) => h('pre', {tabindex: isLong(text) ? 0 : null}, text);

export function diffView(before, after) {
  const parts = wordDiff(before, after);
  if (parts === null)
    return h('div', null, h('p', {class: 'note'}, 'Too different for a comparison by words.'), textBox(after));
  return h(
    'pre',
    {class: 'diff', tabindex: isLong(before + after) ? 0 : null},
    parts.map((part) => {
      if (part.kind === 'same') return part.text;
      return part.kind === 'gone'
        ? h('del', {'aria-label': `removed: ${part.text}`, role: 'deletion'}, part.text)
        : h('ins', {'aria-label': `added: ${part.text}`, role: 'insertion'}, part.text);
    }),
  );
}

export const textBlock = (title, text, level = 'h3') =>
  text === null || text === undefined || text === ''
    ? null
    : h('div', {class: 'text-block'}, h(level, null, title), textBox(text));
