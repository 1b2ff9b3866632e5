// What a page says while it loads, when there is nothing, and when something went wrong.
import {h} from '../core/vdom.js';

export const loading = (what = 'Loading…') => h('p', {class: 'state', key: 'loading', role: 'status'}, what);

export const empty = (title, text, ...actions) => h('div', {class: 'state', key: 'empty'}, h('strong', null, title),
  text && h('p', null, text), actions.length > 0 && h('div', {class: 'tools'}, actions));

export function failed(error, retry) {
  return h('div', {class: 'state failed', key: 'failed', role: 'alert'},
    h('strong', null, headline(error)), h('p', null, error.message),
    retry && h('div', {class: 'tools'}, h('button', {type: 'button', onclick: retry}, 'Try again')));
}

function headline(error) {
  const by = {0: 'No connection', 403: 'Not allowed', 404: 'Not found', 409: 'Not yet', 429: 'Too many requests',
    503: 'The coordinator cannot answer now'};
  return by[error.status] ?? error.title ?? 'Something went wrong';
}

/** As `shown`, for what a whole page is about: such a page has a heading before that is there, too. */
export const shownPage = (loader, title, build, retry) => (loader.value !== null ? build(loader.value)
  : h('div', {key: 'not-there'}, h('h1', {tabindex: -1}, title), shown(loader, build, retry)));

/** The right one of the three for a loader, or build(value). What was there stays while it is loaded anew. */
export function shown(loader, build, retry) {
  if (loader.value !== null) return build(loader.value);
  if (loader.error) return failed(loader.error, retry);
  return loading();
}
