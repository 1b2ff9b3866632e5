// A button that puts a text on the clipboard and says so.
import {h} from '../core/vdom.js';

export function copyButton(app, text, label = 'Copy') {
  return h('button', {type: 'button', class: 'plain', onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      app.toasts.say('Copied');
    } catch {
      app.toasts.say('The browser did not allow copying; select the text instead.', 'bad');
    }
  }}, label);
}
