// Calls to the coordinator. Every failure becomes an ApiError with words that can be shown.

export class ApiError extends Error {
  constructor(status, title, detail, errors = []) {
    super(detail || title);
    Object.assign(this, {status, title, detail, errors});
  }
}

let csrf = null;
let onSignedOut = () => {};

export function useCsrf(token) { csrf = token; }
/** `handler` is called when a reply says that the session is over. */
export function whenSignedOut(handler) { onSignedOut = handler; }

export const get = (path, options) => call('GET', path, undefined, options);
export const post = (path, body, options) => call('POST', path, body, options);
export const put = (path, body, options) => call('PUT', path, body, options);
export const remove = (path, options) => call('DELETE', path, undefined, options);

/** Sends JSON, or text as it is with options.type; gives the parsed reply, or null for none. */
async function call(method, path, body, {signal, type, headers = {}, quiet = false} = {}) {
  const head = {Accept: 'application/json', ...headers};
  if (method !== 'GET' && csrf) head['X-CSRF-Token'] = csrf;
  if (body !== undefined) head['Content-Type'] = type ?? 'application/json';
  const reply = await send(`/api/v1${path}`, {
    method, headers: head, signal, body: body === undefined || type ? body : JSON.stringify(body),
    credentials: 'same-origin', cache: 'no-store', redirect: 'error',
  });
  if (reply.ok) return reply.status === 204 ? null : parsed(reply);
  if (reply.status === 401 && !quiet) onSignedOut();
  throw await problem(reply);
}

async function send(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, 'No connection', 'The coordinator does not answer.');
  }
}

async function parsed(reply) {
  try {
    return await reply.json();
  } catch {
    throw new ApiError(reply.status, 'Unreadable reply', 'The reply is not JSON, or was cut off.');
  }
}

async function problem(reply) {
  let body = {};
  try {
    body = await reply.json();
  } catch {
    // Not every refusal has a body; its status says enough.
  }
  const detail = typeof body.detail === 'string' ? body.detail : '';
  return new ApiError(reply.status, String(body.title ?? reply.statusText ?? reply.status), detail,
    Array.isArray(body.errors) ? body.errors : []);
}

/** Whether an error means that the coordinator or its Redis is away for now, so that trying again makes sense. */
export const isAway = (error) => error instanceof ApiError && (error.status === 0 || error.status >= 502);
