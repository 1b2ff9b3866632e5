// The API's description as strangers use it: a linter finds nothing, and a client that is made from it compiles under strict rules.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const tools = process.env.EVALFLEET_OPENAPI_TOOLS;
const programs = process.env.EVALFLEET_BIN_DIR;
if (!tools || !existsSync(join(tools, 'complete'))) throw new Error('run `make openapi-tools` first');

// Within the tools' folder, where the compiler finds the client's library.
const folder = mkdtempSync(join(tools, 'check-'));
after(() => rmSync(folder, {recursive: true, force: true}));
const tool = (path, ...args) => spawnSync(process.execPath, [join(tools, 'node_modules', path), ...args],
    {cwd: folder, encoding: 'utf8', timeout: 200_000, env: {...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', HOME: folder}});

/** A coordinator describes its API without Redis too. */
async function describe() {
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('EVALFLEET_')));
    writeFileSync(join(folder, 'providers.yaml'), 'providers: {p: {type: openai, base_url: "http://127.0.0.1:9/v1"}}\n');
    const child = spawn(join(programs, 'evalfleet-coordinator'), ['--redis', 'redis://127.0.0.1:9', '--store', join(folder, 'store'),
        '--providers', join(folder, 'providers.yaml'), '--listen', '127.0.0.1:0', '--port-file', join(folder, 'port')], {env: environment, stdio: 'ignore'});
    after(() => child.kill('SIGKILL'));
    const file = join(folder, 'port');
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') {
        assert.equal(child.exitCode, null, 'the coordinator ended');
        await new Promise((go) => setTimeout(go, 20));
    }
    const port = readFileSync(file, 'utf8').trim();
    return (await fetch(`http://127.0.0.1:${port}/api/v1/openapi.json`)).json();
}

const description = await describe();
const at = join(folder, 'openapi.json');
writeFileSync(at, JSON.stringify(description, null, 1));
const schemas = description.components.schemas;

test('redocly finds nothing wrong', () => {
    copyFileSync(join(here, 'redocly.yaml'), join(folder, 'redocly.yaml'));
    const {status, stdout, stderr} = tool('@redocly/cli/bin/cli.js', 'lint', '--config', 'redocly.yaml', '--format', 'stylish', '--max-problems', '50', 'openapi.json');
    assert.equal(status, 0, stdout + stderr);
    assert.doesNotMatch(stdout + stderr, /^ +\d+:\d+ +warning/m, 'warnings');
});

test('redocly would find something wrong', () => {
    const broken = structuredClone(description);
    broken.paths['/api/v1/runs'].get.responses['200'].content['application/json'].schema.$ref = '#/components/schemas/Nobody';
    writeFileSync(join(folder, 'broken.json'), JSON.stringify(broken));
    assert.notEqual(tool('@redocly/cli/bin/cli.js', 'lint', 'broken.json').status, 0);
});

test('a client that is made from it compiles, and refuses what the API would refuse', () => {
    const made = tool('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'api.d.ts');
    assert.equal(made.status, 0, made.stdout + made.stderr);
    copyFileSync(join(here, 'client.ts'), join(folder, 'client.ts'));
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler',
        '--target', 'es2022', '--lib', 'es2022,dom'];
    const {status, stdout} = tool('typescript/bin/tsc', ...options, 'client.ts');
    assert.equal(status, 0, stdout.slice(0, 4000));
});

test('what files hold is described by the schemas of docs/schemas', () => {
    for (const [name, file] of [['Record', 'record'], ['Summary', 'summary'], ['GroupSummary', 'group'], ['RunMetadata', 'run'], ['RunFile', 'runfile']]) {
        const published = JSON.parse(readFileSync(join(here, `../../docs/schemas/${file}.schema.json`), 'utf8'));
        assert.deepEqual(Object.keys(schemas[name].properties), Object.keys(published.properties), name);
        for (const part of Object.keys(published.$defs ?? {})) assert.ok(schemas[`${name}.${part}`], `${name}.${part}`);
    }
    assert.equal(schemas.RecordPage.properties.records.items.$ref, '#/components/schemas/Record');
    assert.equal(schemas.Rejudgement.properties.judge.$ref, '#/components/schemas/Judge');
    assert.ok(schemas.Judge.properties.provider);
});

test('every reference leads somewhere', () => {
    JSON.stringify(description, (key, value) => {
        if (key === '$ref') assert.ok(schemas[value.replace('#/components/schemas/', '')], value);
        return value;
    });
});

test('every call says which of its parameters are wrong, what it is for, and who may make it', () => {
    for (const [path, calls] of Object.entries(description.paths)) {
        for (const [method, call] of Object.entries(calls)) {
            const name = `${method} ${path}`;
            assert.ok(call.summary && call.tags.length > 0 && call['x-role'], name);
            assert.ok(Array.isArray(call.security), name);
            const takes = call.parameters.some((one) => one.in === 'query') || call.requestBody;
            assert.equal('400' in call.responses, Boolean(takes), name);
            for (const one of call.parameters) assert.ok(one.description, `${name}: ${one.name}`);
        }
    }
});
