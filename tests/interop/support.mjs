// A simulator, and what else a test starts: in a folder of its own, ended with the test.
import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after} from 'node:test';
import {pathToFileURL} from 'node:url';

export const tools = process.env.EVALFLEET_INTEROP_TOOLS;
export const programs = process.env.EVALFLEET_BIN_DIR;
if (!tools || !existsSync(join(tools, 'complete'))) throw new Error('run `make interop-tools` first');

const require = createRequire(join(tools, 'package.json'));
/** A package of the tools. */
export const load = (name) => import(pathToFileURL(require.resolve(name)));
/** A file in the tools. */
export const tool = (path) => join(tools, 'node_modules', path);

export const folder = mkdtempSync(join(tmpdir(), 'evalfleet-interop-'));
const children = [];
export function start(program, args, options = {}) {
    const child = spawn(program, args, {stdio: ['ignore', 'pipe', 'pipe'], ...options});
    child.said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { child.said += text; });
    child.ended = new Promise((done) => child.on('exit', (code, signal) => done(code ?? signal)));
    children.push(child);
    return child;
}
// Children that run keep this process from its end: they are ended after the last test.
after(() => { for (const child of children) child.kill('SIGKILL'); });
process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, {recursive: true, force: true});
});

/** Asks until `condition` gives something, at most a minute. */
export async function eventually(condition, what) {
    for (const end = Date.now() + 60_000; Date.now() < end;) {
        const value = await condition();
        if (value) return value;
        await new Promise((go) => setTimeout(go, 20));
    }
    throw new Error(`${what} did not come within a minute`);
}

/** A port that was free a moment ago. */
export function freePort() {
    return new Promise((done) => {
        const server = createServer().listen(0, '127.0.0.1', () => {
            const {port} = server.address();
            server.close(() => done(port));
        });
    });
}

export async function startSimulator(...args) {
    const file = join(folder, `port-${children.length}`);
    const child = start(join(programs, 'evalfleet'), ['simulate', '--port', '0', '--port-file', file, ...args]);
    const port = await eventually(() => {
        if (child.exitCode !== null) throw new Error(child.said);
        return existsSync(file) && Number(readFileSync(file, 'utf8'));
    }, 'the simulator');
    return `http://127.0.0.1:${port}`;
}
