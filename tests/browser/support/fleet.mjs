// A whole fleet in a temporary folder: Redis, a simulated provider, a coordinator with tokens, a worker.
import {createHash} from 'node:crypto';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {bin, root} from './places.mjs';
import {fileOf, start, until} from './process.mjs';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

export const TOKENS = {
  reader: 'reader-token-of-a-test',
  submitter: 'submitter-token-of-a-test',
  admin: 'admin-token-of-a-test',
};

export async function startFleet({
  dataset = readFileSync(join(root, 'docs/examples/qa.jsonl')),
  simulate = [],
  latencyMs = 30,
  concurrency = 8,
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'evalfleet-browser-'));
  const programs = [];
  const at = (name) => join(folder, name);
  const add = (program, args, options) => {
    const one = start(program, args, options);
    programs.push(one);
    return one;
  };

  writeFileSync(at('qa.jsonl'), dataset);
  const simulated = add(join(bin, 'evalfleet'), [
    'simulate',
    '--port-file',
    at('simulate.port'),
    '--dataset',
    at('qa.jsonl'),
    '--latency-ms',
    String(latencyMs),
    '--latency-sigma',
    '0.6',
    '--correctness',
    '0.8',
    '--vary-repeats',
    ...simulate,
  ]);
  const redis = add('redis-server', [
    '--port',
    '0',
    '--unixsocket',
    at('redis.sock'),
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ]);
  const provider = `http://127.0.0.1:${await fileOf(at('simulate.port'), simulated)}/v1`;
  writeFileSync(
    at('providers.yaml'),
    `providers:\n  main:\n    type: openai\n    base_url: "${provider}"\n    max_concurrent: 64\n` +
      '    prices: {input_usd_per_mtok: 2.5, output_usd_per_mtok: 10, ' +
      'cache_read_multiplier: 0.5, cache_write_multiplier: 1.0}\n',
  );
  writeFileSync(
    at('tokens.yaml'),
    'tokens:\n' +
      Object.entries(TOKENS)
        .map(
          ([role, token]) =>
            `  - {name: ${role === 'submitter' ? 'ada' : role}, role: ${role}, sha256: ${sha256(token)}}\n`,
        )
        .join(''),
  );
  await until(
    'Redis',
    () => redis.output().includes('Ready to accept connections') || redis.output().includes('ready to accept'),
  );

  let port = '0';
  async function startCoordinator() {
    rmSync(at('coordinator.port'), {force: true});
    const one = add(join(bin, 'evalfleet-coordinator'), [
      '--redis',
      `unix://${at('redis.sock')}`,
      '--store',
      at('store'),
      '--listen',
      `127.0.0.1:${port}`,
      '--port-file',
      at('coordinator.port'),
      '--providers',
      at('providers.yaml'),
      '--tokens-file',
      at('tokens.yaml'),
      '--rate-limit',
      '0',
      '--address-rate-limit',
      '0',
      '--log-level',
      'warn',
    ]);
    port = await fileOf(at('coordinator.port'), one);
    await until('the coordinator', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
    return one;
  }
  let coordinator = await startCoordinator();
  add(join(bin, 'evalfleet-worker'), [
    '--redis',
    `unix://${at('redis.sock')}`,
    '--providers',
    at('providers.yaml'),
    '--concurrency',
    String(concurrency),
    '--log-level',
    'warn',
    '--name',
    'worker-1',
  ]);

  const call = async (method, path, body, headers = {}) => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      body,
      headers: {Authorization: `Bearer ${TOKENS.admin}`, ...headers},
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  await call('PUT', '/datasets/qa?version=1', readFileSync(at('qa.jsonl')));

  return {
    folder,
    url: `http://127.0.0.1:${port}`,
    call,
    /** Hands a run file in; gives the reply. */
    submit: (file, token = TOKENS.submitter) => call('POST', '/runs', file, {Authorization: `Bearer ${token}`}),
    /** Waits until a run is over; gives it. */
    ended: (id) =>
      until(
        `the end of ${id}`,
        async () => {
          const run = await call('GET', `/runs/${id}`);
          return ['done', 'failed', 'cancelled'].includes(run.state) && run;
        },
        180_000,
      ),
    coordinatorPid: () => coordinator.pid,
    killCoordinator: () => coordinator.end('SIGKILL'),
    async restartCoordinator() {
      coordinator = await startCoordinator();
    },
    outputs: () => programs.map((one) => one.output()).join('\n'),
    async stop() {
      for (const one of programs.reverse()) await one.end();
      rmSync(folder, {recursive: true, force: true});
    },
  };
}

/** A run file for the fleet above. */
export function runFile({
  name = 'nightly-qa',
  models = ['demo-model'],
  repeats = 3,
  template = '{{context}}\n\n{{task}}',
  extra = '',
} = {}) {
  const model = (one) => `{provider: main, name: ${one}, version: "1"}`;
  return (
    `version: 1\nname: ${JSON.stringify(name)}\ndataset: {id: qa}\n` +
    (models.length === 1
      ? `model: ${model(models[0])}\n`
      : `models:\n${models.map((one) => `  - ${model(one)}\n`).join('')}`) +
    'prompt:\n  id: context-then-task\n  version: "1"\n' +
    '  system: Answer from the context if there is one. Be brief.\n  template: |-\n' +
    template
      .split('\n')
      .map((line) => `    ${line}`.trimEnd())
      .join('\n') +
    `\njudge: {provider: main, name: demo-judge, version: "1", profile: rubric-v1}\nrepeats: ${repeats}\n` +
    `limits: {timeout_ms: 30000, attempt_timeout_ms: 10000, connect_timeout_ms: 5000}\n${extra}`
  );
}
