// The frame of every page: skip link, bar with navigation, connection, who is signed in.
import {h} from './core/vdom.js';
import {currentTheme, toggleTheme} from './core/theme.js';

const PLACES = [
  {path: '/runs', title: 'Runs'},
  {path: '/groups', title: 'Groups'},
  {path: '/compare', title: 'Compare'},
  {path: '/trends', title: 'Trends'},
  {path: '/fleet', title: 'Fleet', live: true},
  {path: '/submit', title: 'Submit', live: true},
];

export function shell(app, page) {
  return h(
    'div',
    {class: 'shell'},
    h('a', {class: 'skip', href: '#main', onclick: skip}, 'Skip to content'),
    h(
      'header',
      {class: 'bar'},
      h(
        'div',
        {class: 'bar-in'},
        h('a', {class: 'brand', href: '/runs', 'aria-label': 'evalfleet, runs'}, logo(), 'evalfleet'),
        app.session &&
          h(
            'nav',
            {'aria-label': 'Pages'},
            h(
              'ul',
              {class: 'nav'},
              places(app).map((place) =>
                h(
                  'li',
                  {key: place.path},
                  h('a', {href: place.path, 'aria-current': isAt(place.path) ? 'page' : null}, place.title),
                ),
              ),
            ),
          ),
        h('div', {class: 'who'}, link(app.link), app.session && caller(app), themeButton(app)),
      ),
    ),
    app.link === 'lost' &&
      h(
        'div',
        {class: 'lost-bar', key: 'lost', role: 'status'},
        'Connection lost. The figures below are the last ones known; trying again…',
      ),
    h('main', {id: 'main', tabindex: -1}, page.render()),
    app.session &&
      h(
        'footer',
        {class: 'footer'},
        h('span', null, `evalfleet ${app.session.version ?? ''}`),
        h('a', {href: '/api', target: '_self'}, 'API'),
      ),
    h('div', {class: 'unseen', role: 'status', 'aria-live': 'polite'}, app.announcement),
    app.toasts.render(),
  );
}

const places = (app) => PLACES.filter((place) => !place.live || app.session.mode !== 'view');
const isAt = (path) =>
  location.pathname === path ||
  location.pathname.startsWith(`${path}/`) ||
  (path === '/runs' && location.pathname === '/');

function skip(event) {
  event.preventDefault();
  document.getElementById('main').focus();
}

function link(status) {
  if (status === 'none') return null;
  return h('span', {class: `link-state ${status}`}, status === 'lost' ? 'lost' : 'live');
}

function caller(app) {
  const {session} = app;
  if (session.mode === 'view') return h('span', {class: 'role'}, 'local files, read only');
  return [
    h('span', {class: 'caller', key: 'caller', title: session.caller}, session.caller),
    h('span', {class: 'role', key: 'role'}, session.role),
    session.csrf &&
      h('button', {type: 'button', class: 'plain', key: 'out', onclick: () => app.signOut()}, 'Sign out'),
  ];
}

function themeButton(app) {
  const dark = currentTheme() === 'dark';
  return h(
    'button',
    {
      type: 'button',
      class: 'plain',
      'aria-label': dark ? 'Use light colours' : 'Use dark colours',
      onclick: () => {
        toggleTheme();
        app.update();
      },
    },
    dark ? '☀' : '☾',
  );
}

const logo = () =>
  h(
    'svg',
    {viewBox: '0 0 32 32', 'aria-hidden': 'true'},
    h('rect', {width: 32, height: 32, rx: 8, fill: '#2b5fd9'}),
    h('path', {d: 'M7 21h18', stroke: '#c9d8fb', 'stroke-width': 3, 'stroke-linecap': 'round'}),
    h('path', {d: 'M11 21h10', stroke: '#ffffff', 'stroke-width': 7, 'stroke-linecap': 'round'}),
    h('path', {
      d: 'M22 7v18',
      stroke: '#ffffff',
      'stroke-width': 2.5,
      'stroke-linecap': 'round',
      'stroke-dasharray': '3 3.5',
    }),
  );
