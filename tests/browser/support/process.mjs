// Programs of a test: started in a folder of their own, ended with the test by their id, their output kept for the
// case
// that something goes wrong.
import {spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';

const LIMIT_MS = 60_000;

/**
 * Waits until `check` gives something that is true; fails with `what` after a generous limit, at once if an error
 * `isFinal`.
 */
export async function until(what, check, limitMs = LIMIT_MS) {
  const end = Date.now() + limitMs;
  let last = null;
  for (;;) {
    try {
      const value = await check();
      if (value) return value;
    } catch (error) {
      if (error.isFinal) throw error;
      last = error;
    }
    if (Date.now() > end) throw new Error(`waited ${limitMs} ms for ${what}${last ? `: ${last.message}` : ''}`);
    await new Promise((go) => setTimeout(go, 50));
  }
}

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export function start(program, args, options = {}) {
  const child = spawn(program, args, {stdio: ['ignore', 'pipe', 'pipe'], ...options});
  let output = '';
  const keep = (text) => {
    output = (output + text).slice(-20_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  running.add(child);
  const ended = new Promise((done) => {
    child.on('exit', (code, signal) => {
      running.delete(child);
      done(code ?? signal);
    });
    child.on('error', (error) => {
      keep(String(error));
      running.delete(child);
      done('not started');
    });
  });
  return {
    pid: child.pid,
    output: () => output,
    isRunning: () => running.has(child),
    /** Ends it by a signal and waits for it; SIGKILL if it does not listen. */
    async end(signal = 'SIGTERM') {
      if (!running.has(child)) return;
      child.kill(signal);
      const patience = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await ended;
      clearTimeout(patience);
    },
  };
}

/** The content of a file that a program writes once it is ready. */
export function fileOf(path, program) {
  return until(path, () => {
    if (!program.isRunning()) throw Object.assign(new Error(`a program ended: ${program.output()}`), {isFinal: true});
    return existsSync(path) && readFileSync(path, 'utf8').trim();
  });
}
