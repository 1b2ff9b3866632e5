// Server-sent events that come back: after every loss of the connection, until closed.
import {get} from './api.js';
import {delayAfter} from './backoff.js';

/**
 * Opens a stream of /api/v1. `events` maps names of events to handlers of their data; `onStatus('live' | 'lost')`
 * tells
 * of the connection; `onBack` is called when it is there again after a loss, since something may have been missed.
 */
export function openStream(path, {events, onStatus = () => {}, onBack = () => {}}) {
  let source = null;
  let failures = 0;
  let timer = null;
  let closed = false;

  // A stream cannot tell why it was refused. A session that is over (a restart ends all) shows itself by this
  // call, which
  // leads to sign-in.
  const tryAgain = async () => {
    try {
      await get('/session');
    } catch {
      if (!closed) wait();
      return;
    }
    if (!closed) connect();
  };
  const wait = () => {
    timer = setTimeout(tryAgain, delayAfter(failures++));
  };

  const connect = () => {
    source = new EventSource(`/api/v1${path}`);
    source.onopen = () => {
      const wasLost = failures > 0;
      failures = 0;
      onStatus('live');
      if (wasLost) onBack();
    };
    source.onerror = () => {
      source.close();
      if (closed) return;
      onStatus('lost');
      wait();
    };
    for (const [name, handler] of Object.entries(events)) {
      source.addEventListener(name, (event) => {
        const data = parsed(event.data);
        if (data !== null) handler(data);
      });
    }
  };

  connect();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      source?.close();
    },
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
