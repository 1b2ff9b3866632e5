// A text area with line numbers, and marks at the lines that have a fault.
import {h} from '../core/vdom.js';
import {lineSpan} from '../logic/run_file.js';

export function editor({id, label, text, faults, onInput}) {
  const lines = Math.max(1, text.split('\n').length);
  const gutter = [];
  for (let line = 1; line <= lines; ++line) {
    const fault = faults.get(line);
    gutter.push(
      h('div', {key: line, class: fault ? 'fault' : null, title: fault?.join('\n')}, fault ? `✗ ${line}` : line),
    );
  }
  return h(
    'div',
    {class: 'editor'},
    h('div', {class: 'gutter', 'aria-hidden': 'true'}, gutter),
    h('textarea', {
      id,
      'aria-label': label,
      spellcheck: 'false',
      autocapitalize: 'off',
      autocomplete: 'off',
      wrap: 'off',
      value: text,
      'aria-invalid': faults.size > 0 ? 'true' : null,
      'aria-describedby': 'faults',
      oninput: (event) => onInput(event.target.value),
      onscroll: (event) => {
        event.target.previousSibling.scrollTop = event.target.scrollTop;
      },
    }),
  );
}

/** Puts the cursor on a line of the editor, selected and in view. */
export function goToLine(id, line) {
  const area = document.getElementById(id);
  const [begin, end] = lineSpan(area.value, line);
  area.focus();
  area.setSelectionRange(begin, end);
  area.scrollTop = Math.max(0, (line - 6) * 20);
}
