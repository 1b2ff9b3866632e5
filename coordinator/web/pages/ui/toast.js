// Short messages in the corner, read out politely by screen readers; errors stay until they are closed.
import {h} from '../core/vdom.js';

const STAYS_MS = 6000;

export function createToasts(changed) {
  let shown = [];
  let next = 1;
  const close = (id) => {
    shown = shown.filter((toast) => toast.id !== id);
    changed();
  };
  return {
    say(text, look = '') {
      const id = next++;
      shown = [...shown.slice(-3), {id, text, look}];
      if (look !== 'bad') setTimeout(() => close(id), STAYS_MS);
      changed();
    },
    render: () => h('div', {class: 'toasts', role: 'status', 'aria-live': 'polite'}, shown.map((toast) =>
      h('div', {class: `toast ${toast.look}`, key: toast.id}, h('span', null, toast.text),
        h('button', {type: 'button', 'aria-label': 'Close message', onclick: () => close(toast.id)}, '✕')))),
  };
}
