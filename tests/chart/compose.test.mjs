// The example for Docker Compose and the programs agree, and its steps lead to a tokens file that a coordinator reads.
import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {run, yaml} from './support/helm.mjs';
import {programs, root} from './support/places.mjs';
import {help, unknownFlags, unknownVariables} from './support/programs.mjs';

const text = readFileSync(join(root, 'docs/examples/compose.yaml'), 'utf8');
const compose = yaml.parse(text, {merge: true});
const steps = text.split('\n').filter((line) => line.startsWith('#')).map((line) => line.slice(1).trim());

const folder = mkdtempSync(join(tmpdir(), 'evalfleet-compose-'));
after(() => rmSync(folder, {recursive: true, force: true}));

/** Services that run a program of ours: [name, service, program with subcommand, arguments]. */
const ours = Object.entries(compose.services).filter(([, service]) => service.image.startsWith('evalfleet:')).map(([name, service]) => {
    const [program = 'evalfleet', ...more] = service.entrypoint ?? [];
    const args = [...more, ...service.command ?? []];
    return program === 'evalfleet' && args.length > 0 ? [name, service, [program, args[0]], args.slice(1)] : [name, service, [program], args];
});

/** The commands of `evalfleet` that the steps at the top call. */
const calls = steps.map((step) => step.match(/(?:evalfleet:\S+|\bcli) ([a-z].*)$/)).filter(Boolean).map(([, call]) => call.split(' '));

test('it has the parts of a fleet', () => {
    assert.deepEqual(ours.map(([name]) => name).sort(), ['cli', 'coordinator', 'provider', 'worker']);
    for (const [name, service] of ours) {
        assert.equal(service.user, '10001:10001', name);
        assert.equal(service.read_only, true, name);
        for (const {source} of service.configs ?? []) assert.ok(compose.configs[source], `${name}: ${source}`);
        for (const secret of service.secrets ?? []) assert.ok(compose.secrets[secret], `${name}: ${secret}`);
        for (const volume of service.volumes ?? []) assert.ok(volume.split(':')[0] in compose.volumes, `${name}: ${volume}`);
        for (const other of Object.keys(service.depends_on ?? {})) assert.ok(compose.services[other], `${name}: ${other}`);
    }
});

test('every flag and variable is one that its program has', async () => {
    for (const [name, service, command, args] of ours) {
        // `cli` is for any command.
        const reader = name === 'cli' ? ['evalfleet', 'list'] : command;
        const variables = Object.keys(service.environment ?? {});
        assert.deepEqual(await unknownFlags(command, args), [], name);
        assert.deepEqual(await unknownVariables(reader, variables), [], name);
    }
    const check = compose.services.worker.healthcheck.test.slice(2);
    assert.deepEqual(await unknownFlags(['evalfleet', 'health'], check), [], 'of a worker');
});

test('every step at its top is a command with flags that exist', async () => {
    const commands = calls.map(([command]) => command);
    assert.deepEqual(commands, ['token', 'health', 'list']);
    for (const [command, ...args] of calls) {
        assert.match(await help('evalfleet'), new RegExp(`^  ${command} `, 'm'));
        assert.deepEqual(await unknownFlags(['evalfleet', command], args), [], command);
    }
});

test('a flag that does not exist would be noticed', async () => {
    assert.deepEqual(await unknownFlags(['evalfleet', 'token'], ['--nane', 'me']), ['--nane']);
});

test('a worker has more time to stop than to drain', () => {
    const seconds = (duration) => Number(duration.match(/^(\d+)s$/)[1]);
    const {worker} = compose.services;
    assert.ok(seconds(worker.stop_grace_period) > seconds(worker.environment.EVALFLEET_DRAIN_TIMEOUT));
});

test('the line of a new token, put where the steps say, is a tokens file that a coordinator reads', async () => {
    const [, ...args] = calls.find(([command]) => command === 'token');
    const made = await run(join(programs, 'evalfleet'), ['token', ...args, '--json']);
    assert.equal(made.code, 0, made.stderr);
    const begin = steps.indexOf('tokens:');
    assert.ok(begin > 0 && steps[begin + 1].startsWith('- {name:'), 'the steps show the file');
    assert.ok(steps.some((step) => step.endsWith(`${compose.secrets.tokens.file.replace('./', 'docs/examples/')}:`)), 'and name it');

    const say = async (content) => {
        writeFileSync(join(folder, 'tokens.yaml'), content);
        const {stderr} = await run(join(programs, 'evalfleet-coordinator'), ['--redis', 'redis://127.0.0.1:9', '--store', join(folder, 'none'),
            '--listen', '192.0.2.1:1', '--tokens-file', join(folder, 'tokens.yaml')]);
        return stderr;
    };
    const {line} = JSON.parse(made.stdout);
    assert.match(await say(`tokens:\n  ${line.trim()}\n`), /"tokens read","count":1/);
    assert.doesNotMatch(await say(`${line.trim()}\n`), /tokens read/, 'without the root it is refused');
});
