// A question before something that cannot be undone, and small forms. The element <dialog> keeps the focus inside and
// gives it back.
import {createRoot} from '../core/patch.js';
import {h} from '../core/vdom.js';

/** Asks; resolves to true or false. */
export function confirm({title, text, action, danger = false}) {
  return ask({title, action, danger, body: () => h('p', null, text)}).then((answer) => answer !== null);
}

/** A form: `body()` describes its fields; resolves to the values of its fields by name, or to null. */
export function ask({title, action, danger = false, body}) {
  return new Promise((resolve) => {
    const dialog = document.createElement('dialog');
    dialog.setAttribute('aria-labelledby', 'dialog-title');
    let answer = null;
    createRoot(dialog).render(h('form', {method: 'dialog', onsubmit: (event) => {
      answer = Object.fromEntries(new FormData(event.target));
    }},
      h('h2', {id: 'dialog-title'}, title), body(),
      h('div', {class: 'tools'},
        h('button', {type: 'button', onclick: () => dialog.close()}, 'Back'),
        h('button', {type: 'submit', class: danger ? 'danger' : 'primary'}, action))));
    dialog.onclose = () => {
      dialog.remove();
      resolve(answer);
    };
    document.body.append(dialog);
    dialog.showModal();
  });
}
