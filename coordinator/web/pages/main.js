// Starts the application: session, router, and the page that the address names.
import {whenSignedOut} from './core/api.js';
import {soon} from './core/later.js';
import {createRoot} from './core/patch.js';
import {createRouter} from './core/router.js';
import {readSession, signOut} from './core/session.js';
import {failedPage, notFoundPage} from './pages/not_found.js';
import {routes} from './pages/routes.js';
import {shell} from './shell.js';
import {createToasts} from './ui/toast.js';

const root = createRoot(document.getElementById('app'));
let page = null;

const update = soon(() => {
  if (!page) return;
  root.render(shell(app, page));
  document.title = `${page.title} · evalfleet`;
});

const app = {
  session: null,
  link: 'none',
  announcement: '',
  update,
  toasts: createToasts(update),
  go: (url, options) => router.go(url, options),
  setLink(status) {
    if (app.link === status) return;
    app.link = status;
    update();
  },
  announce(text) {
    app.announcement = text;
    update();
  },
  wasSignedOut: false,
  signedIn(session) {
    app.session = session;
    app.wasSignedOut = false;
  },
  async signOut() {
    try {
      await signOut();
    } catch (error) {
      app.toasts.say(error.message, 'bad');
      return;
    }
    app.session = null;
    router.go('/login');
  },
};

function open(match, moveFocus) {
  if (match && page?.follow?.(match)) return update();
  page?.stop?.();
  app.link = 'none';
  page = match ? match.route.open(app, match.params) : notFoundPage();
  update();
  if (!moveFocus) return;
  scrollTo(0, 0);
  queueMicrotask(() => queueMicrotask(() => {
    document.querySelector('main h1')?.focus();
    app.announce(page.title);
  }));
}

const router = createRouter(routes, {
  onPage(match, moveFocus) {
    if (!app.session && match?.route.pattern !== '/login') toLogin();
    else open(match, moveFocus);
  },
  onQuery() {
    page?.onQuery?.();
    update();
  },
});

function toLogin() {
  if (location.pathname === '/login') return;
  app.wasSignedOut = app.session !== null;
  app.session = null;
  router.go(`/login?next=${encodeURIComponent(location.pathname + location.search)}`, {replace: true});
}

async function start() {
  try {
    app.session = await readSession();
  } catch (error) {
    page = failedPage(error, start);
    update();
    return;
  }
  whenSignedOut(toLogin);
  router.start();
}

start();
