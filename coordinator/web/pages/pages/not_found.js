// The page of an address that leads nowhere, and of a coordinator that does not answer at the start.
import {h} from '../core/vdom.js';
import {failed} from '../ui/states.js';

export const notFoundPage = () => ({
  title: 'Not found',
  render: () =>
    h(
      'div',
      {class: 'error-page'},
      h('h1', {tabindex: -1}, 'There is no such page'),
      h('p', null, 'The address may be misspelt, or what it named was deleted.'),
      h('p', null, h('a', {href: '/runs'}, 'All runs')),
    ),
});

export const failedPage = (error, retry) => ({
  title: 'No answer',
  render: () => h('div', {class: 'error-page'}, h('h1', {tabindex: -1}, 'evalfleet'), failed(error, retry)),
});
