// Sign-in: a token is exchanged for a session cookie, then on to the page that was asked for.
import {safeNext} from '../core/url_state.js';
import {h} from '../core/vdom.js';
import {signIn} from '../core/session.js';

export function loginPage(app) {
  let error = null;
  const ended = app.wasSignedOut;
  let busy = false;

  const onward = () => app.go(safeNext(new URLSearchParams(location.search).get('next')), {replace: true});

  async function submit(event) {
    event.preventDefault();
    const token = new FormData(event.target).get('token').trim();
    if (token === '') return fail('Paste a token first.');
    busy = true;
    app.update();
    try {
      app.signedIn(await signIn(token));
    } catch (problem) {
      return fail(
        problem.status === 401
          ? 'This token is not known. Ask whoever runs the coordinator for one.'
          : problem.message,
      );
    }
    onward();
  }

  function fail(text) {
    error = text;
    busy = false;
    app.update();
    document.getElementById('token')?.focus();
  }

  return {
    title: 'Sign in',
    render: () =>
      h(
        'div',
        {class: 'login card'},
        h('h1', {tabindex: -1}, 'Sign in'),
        h(
          'p',
          {class: 'note'},
          'With the token that the operator of this coordinator gave you. It is not kept in the browser.',
        ),
        ended &&
          h(
            'p',
            {class: 'banner', role: 'status'},
            'Your session is over, or the coordinator was restarted. Sign in to go on where you were.',
          ),
        h(
          'form',
          {onsubmit: submit, method: 'post', action: '/login'},
          h(
            'label',
            {class: 'field', for: 'token'},
            'Token',
            h('input', {
              id: 'token',
              name: 'token',
              type: 'password',
              autocomplete: 'current-password',
              required: true,
              'aria-invalid': error ? 'true' : null,
              'aria-describedby': error ? 'token-error' : null,
            }),
          ),
          error && h('p', {id: 'token-error', class: 'banner bad', role: 'alert'}, error),
          h('button', {type: 'submit', class: 'primary', disabled: busy}, busy ? 'Signing in…' : 'Sign in'),
        ),
      ),
  };
}
