// The chart and the programs agree: every flag and variable exists, and the rendered providers file is one that they read.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:https';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {renderAll, run, yaml} from './support/helm.mjs';
import {kinds, one, ownContainersOf, podsOf, variable} from './support/objects.mjs';
import {programs} from './support/places.mjs';
import {unknownFlags, unknownVariables} from './support/programs.mjs';

const rendered = await renderAll();
const containers = [...rendered].flatMap(([scenario, objects]) => podsOf(objects).flatMap(ownContainersOf).map((container) => ({scenario, ...container})));

const folder = mkdtempSync(join(tmpdir(), 'evalfleet-chart-programs-'));
after(() => rmSync(folder, {recursive: true, force: true}));

/** The program, with its subcommand if it has one, and the flags behind. */
function commandOf({command: [program], args}) {
    return program === 'evalfleet' ? [[program, args[0]], args.slice(1)] : [[program], args];
}

test('every flag of a container is one of its program', async () => {
    for (const container of containers) {
        const [command, args] = commandOf(container);
        assert.deepEqual(await unknownFlags(command, args), [], command.join(' '));
    }
});

test('every variable EVALFLEET_… of a container is one that its program reads', async () => {
    for (const container of containers) {
        const [command] = commandOf(container);
        assert.deepEqual(await unknownVariables(command, (container.env ?? []).map(({name}) => name)), [], command.join(' '));
    }
});

test('every rendered providers file is read without a fault', async () => {
    writeFileSync(join(folder, 'qa.jsonl'), '{"task": "1+1"}\n');
    for (const [scenario, objects] of rendered) {
        for (const map of kinds(objects, 'ConfigMap').filter(({data}) => data['providers.yaml'])) {
            const {providers} = yaml.parse(map.data['providers.yaml']);
            const model = {provider: Object.keys(providers)[0], name: 'm', version: '1'};
            const file = join(folder, 'run.json');
            writeFileSync(file, JSON.stringify({version: 1, name: 'n', dataset: {path: 'qa.jsonl'}, model, judge: model, providers}));
            const {code, stdout, stderr} = await run(join(programs, 'evalfleet'), ['validate', '--simulate', file]);
            assert.equal(code, 0, `${scenario}: ${map.metadata.name}: ${stdout}${stderr}`);
        }
    }
});

test('a faulty providers file would be noticed', async () => {
    const {providers} = yaml.parse(one(rendered.get('minimal-values.yaml'), 'ConfigMap', 'providers').data['providers.yaml']);
    const model = {provider: 'main', name: 'm', version: '1'};
    providers.main.base_ur = 'x';
    const file = join(folder, 'faulty.json');
    writeFileSync(file, JSON.stringify({version: 1, name: 'n', dataset: {path: 'qa.jsonl'}, model, judge: model, providers}));
    const {code, stdout, stderr} = await run(join(programs, 'evalfleet'), ['validate', '--simulate', file]);
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /base_ur/);
});

/** Starts a program with a rendered URL, the password filled in, and gives what it says before it ends. */
async function sayAbout(url) {
    const worker = [join(programs, 'evalfleet-worker'), '--redis', url, '--providers', join(folder, 'none.yaml')];
    const password = url.includes(':@') ? ['EVALFLEET_REDIS_PASSWORD=p/%w#'] : [];
    const {stderr} = await run('env', [...password, ...worker]);
    return stderr;
}

test('every rendered Redis URL is one that the programs can read', async () => {
    const urls = new Set(containers.flatMap(({env}) => env ?? []).filter(({name, value}) => name === 'EVALFLEET_REDIS' && value).map(({value}) => value));
    assert.ok(urls.size >= 6);
    for (const url of urls) {
        const said = await sayAbout(url.replace(/\$\(\w+\)/g, 'p%2Fw'));
        assert.doesNotMatch(said, /Redis URL|--redis/, url);
        assert.match(said, /none\.yaml/, 'it goes on to the providers file');
    }
    assert.match(await sayAbout('redis+sentinels://h/m'), /Redis URL|--redis/);
});

test('helm test trusts the coordinator by the authority it is given, and nobody else', async (context) => {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'ca.crt')];
    const made = await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
        '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate]);
    assert.equal(made.code, 0, made.stderr);
    const server = createServer({key: readFileSync(key), cert: readFileSync(certificate)}, (request, response) => {
        response.statusCode = request.url === '/readyz' ? 200 : 404;
        response.end('ready\n');
    });
    await new Promise((listening) => server.listen(0, 'localhost', listening));
    context.after(() => server.close());

    const {args, env} = one(rendered.get('production-values.yaml'), 'Pod', 'test-health').spec.containers[0];
    const given = args.map((argument) => argument.replace(/https:.*/, `https://localhost:${server.address().port}`));
    assert.equal(variable({env}, 'SSL_CERT_FILE').value, '/etc/evalfleet/ca/ca.crt');
    const trusting = await run('env', [`SSL_CERT_FILE=${certificate}`, join(programs, 'evalfleet'), ...given]);
    assert.equal(trusting.code, 0, trusting.stderr);
    assert.match(trusting.stdout, /ready/);
    assert.notEqual((await run(join(programs, 'evalfleet'), given)).code, 0);
});

test('the development Redis starts with its arguments and evicts nothing', async (context) => {
    const {args} = podsOf(rendered.get('development-values.yaml')).find((pod) => pod.component === 'dev-redis').spec.containers[0];
    const socket = join(folder, 'redis.sock');
    const server = spawn('redis-server', [...args.map((argument) => argument.replace('/data', folder)), '--port', '0', '--unixsocket', socket], {stdio: 'ignore'});
    context.after(() => server.kill());
    for (let wait = 0; wait < 600 && !existsSync(socket); ++wait) await new Promise((go) => setTimeout(go, 50));
    const ask = async (name) => (await run('redis-cli', ['-s', socket, 'config', 'get', name])).stdout.split('\n')[1];
    assert.equal(await ask('maxmemory-policy'), 'noeviction');
    assert.equal(await ask('maxmemory'), String(256 << 20));
    assert.equal(await ask('save'), '');
});
