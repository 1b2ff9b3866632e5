// Coordinator and worker start with exactly the arguments that the chart gives them, become ready, and end when they are told to.
// Only places differ: folders of the container are folders of the test, ports are free ones, Redis is a private one.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {render, run, values} from './support/helm.mjs';
import {component, one, ownContainersOf} from './support/objects.mjs';
import {programs} from './support/places.mjs';

const folder = mkdtempSync(join(tmpdir(), 'ef-'));
const children = [];
after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map((child) => child.ended));
    rmSync(folder, {recursive: true, force: true});
});

const objects = await render(values('production'));
const certificate = join(folder, 'etc/tls/tls.crt');

function write(name, text) {
    const file = join(folder, 'etc', name);
    mkdirSync(join(file, '..'), {recursive: true});
    writeFileSync(file, text);
    return file;
}

/** The argument of a container, in the folders of this test. */
function placed(argument) {
    return argument.replace('/etc/evalfleet', join(folder, 'etc')).replace('/var/lib/evalfleet-datasets', join(folder, 'datasets'))
        .replace('/var/lib/evalfleet', join(folder, 'store')).replace(/^--listen=.*/, '--listen=localhost:0')
        .replace(/^--metrics-host=.*/, '--metrics-host=localhost').replace(/^--metrics-port=.*/, '--metrics-port=0');
}

function start(program, args, environment = {}) {
    const child = spawn(program, args, {env: {PATH: process.env.PATH, ...environment}, stdio: ['ignore', 'ignore', 'pipe']});
    child.said = '';
    child.stderr.on('data', (text) => { child.said = (child.said + text).slice(-8000); });
    child.ended = new Promise((done) => {
        child.on('close', (code, signal) => done(code ?? signal));
        child.on('error', (error) => { child.said = error.message; done(error.code); });
    });
    child.ended.then((how) => { child.over = how; });
    children.push(child);
    return child;
}

/** Waits until `ready` gives something, as long as the child lives, for two minutes at most. */
async function until(child, ready) {
    for (let wait = 0; wait < 1200 && child.over === undefined; ++wait) {
        const found = await ready();
        if (found) return found;
        await new Promise((go) => setTimeout(go, 100));
    }
    throw new Error(`${child.spawnfile} did not become ready${child.over === undefined ? '' : `, it ended: ${child.over}`}\n${child.said}`);
}

/** Starts the program of a pod and waits until its own health command finds it ready. */
async function startPod(pod, scheme) {
    const [container] = ownContainersOf(pod);
    const portFile = join(folder, `${container.name}.port`);
    const child = start(join(programs, container.command[0]), [...container.args.map(placed), `--port-file=${portFile}`],
        {EVALFLEET_REDIS: `unix://${join(folder, 'redis.sock')}`});
    const port = await until(child, () => existsSync(portFile) && readFileSync(portFile, 'utf8').trim());
    const url = `${scheme}://localhost:${port}`;
    await until(child, async () => (await run('env', [`SSL_CERT_FILE=${certificate}`, join(programs, 'evalfleet'), 'health', `--url=${url}`])).code === 0);
    return {child, url};
}

async function prepare() {
    for (const name of ['store', 'datasets', 'etc/tls']) mkdirSync(join(folder, name), {recursive: true});
    const made = await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
        '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', join(folder, 'etc/tls/tls.key'), '-out', certificate]);
    assert.equal(made.code, 0, made.stderr);
    const hash = createHash('sha256').update('a-token').digest('hex');
    write('tokens/tokens.yaml', `tokens:\n  - {name: reader, role: reader, sha256: ${hash}}\n`);
    write('providers/providers.yaml', one(objects, 'ConfigMap', 'evalfleet-providers').data['providers.yaml'].replaceAll('/etc/evalfleet', join(folder, 'etc')));
    for (const provider of ['main', 'judge']) write(`keys/${provider}`, 'no-real-key\n');
    const socket = join(folder, 'redis.sock');
    const redis = start('redis-server', ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder, '--maxmemory-policy', 'noeviction']);
    await until(redis, () => existsSync(socket));
}

test('a fleet starts with the rendered arguments, becomes ready, and ends in order', async () => {
    await prepare();
    const coordinator = await startPod(component(objects, 'coordinator')[0], 'https');
    const worker = await startPod(component(objects, 'worker').find((pod) => pod.metadata.labels['evalfleet/pool'] === 'default'), 'http');

    const {stdout} = await run('curl', ['--silent', '--cacert', certificate, '--header', 'Authorization: Bearer a-token', `${coordinator.url}/api/v1/queues`]);
    assert.equal(JSON.parse(stdout).pool, 'main');
    const metrics = await run('curl', ['--silent', '--cacert', certificate, `${coordinator.url}/metrics`]);
    assert.match(metrics.stdout, /^evalfleet_desired_slots\{pool="main"\} 0$/m, 'what autoscalers ask for');

    for (const {child} of [worker, coordinator]) {
        child.kill('SIGTERM');
        assert.equal(await child.ended, 0, child.said);
    }
});
