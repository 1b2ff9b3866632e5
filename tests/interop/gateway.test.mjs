// A whole run through a gateway of somebody else's in front of the simulator, whole and streamed.
import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import test from 'node:test';

import {eventually, folder, freePort, programs, start, startSimulator, tool} from './support.mjs';

const simulator = await startSimulator('--correctness', '1');
const port = await freePort();
const gateway = start(process.execPath, [tool('@portkey-ai/gateway/build/start-server.js'), `--port=${port}`, '--headless'],
    {env: {PATH: process.env.PATH, HOME: folder, NODE_ENV: 'production'}});
await eventually(() => fetch(`http://127.0.0.1:${port}/`).then(() => true, () => false), `the gateway (${gateway.said})`);

const samples = Array.from({length: 12}, (_, i) => ({id: `q${i}`, task: `What is ${i}?`, reference_answer: `It is ${i}.`}));
const dataset = join(folder, 'qa.jsonl');
writeFileSync(dataset, samples.map((sample) => JSON.stringify(sample)).join('\n') + '\n');

for (const stream of [false, true]) {
    test(`every trial is answered and judged ${stream ? 'in streams' : 'whole'}`, async () => {
        const model = {provider: 'gateway', name: 'm', version: '1'};
        const file = join(folder, `run-${stream}.json`);
        writeFileSync(file, JSON.stringify({
            version: 1, name: 'gateway', dataset: {path: dataset}, model, judge: model,
            providers: {gateway: {
                type: 'openai', base_url: `http://127.0.0.1:${port}/v1`, stream,
                headers: {'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${simulator}/v1`},
            }},
        }));
        const out = join(folder, `out-${stream}`);
        mkdirSync(out);
        const run = start(join(programs, 'evalfleet'), ['run', file, '--out', out], {env: {PATH: process.env.PATH, HOME: folder}});
        const code = await run.ended;
        assert.ok(code === 0 || code === 1, `exit code ${code}: ${run.said}`);
        const records = readFileSync(join(out, 'records.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
        assert.equal(records.length, samples.length, run.said);
        for (const record of records) {
            assert.ok(record.answer, `${record.error_kind}: ${record.error_message}`);
            assert.equal(record.model_reported, 'simulated/m');
            assert.ok(Number.isInteger(record.correctness_score), record.evaluator_error_message);
            assert.equal(record.tokens_source, 'provider');
            assert.equal(record.latency_first_token_ms !== null && record.latency_first_token_ms !== undefined, stream);
        }
    });
}
