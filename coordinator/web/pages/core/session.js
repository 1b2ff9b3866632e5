// Who is signed in, and what they may do.
import {get, post, remove, useCsrf} from './api.js';

const ROLES = ['reader', 'submitter', 'admin'];

/** The session, or null if there is none. */
export async function readSession() {
  try {
    return keep(await get('/session', {quiet: true}));
  } catch (error) {
    if (error.status === 401) return null;
    throw error;
  }
}

export const signIn = async (token) => keep(await post('/session', {token}, {quiet: true}));

export async function signOut() {
  await remove('/session');
  useCsrf(null);
}

function keep(session) {
  useCsrf(session.csrf ?? null);
  return session;
}

/** Whether the session may do what `role` may; nobody changes runs in a read-only view. */
export const may = (session, role) => session !== null && !session.read_only
  && ROLES.indexOf(session.role) >= ROLES.indexOf(role);
