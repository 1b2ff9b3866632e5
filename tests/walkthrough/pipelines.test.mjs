// The examples for GitHub Actions, GitLab CI and Jenkins: each is YAML (or a well-formed Jenkinsfile) of the shape that its service reads,
// and every shell block of it runs, as it stands. The evaluation is a real one, of a simulated provider at the address that the run file
// names; apt-get, curl and gh, which change machines and services of others, only say how they were called.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {load, programs, root} from '../chart/support/places.mjs';

const yaml = (await load('yaml/dist/index.js')).default;
const example = (file) => readFileSync(join(root, 'docs/ci', file), 'utf8');
const work = mkdtempSync(join(tmpdir(), 'evalfleet-pipelines-'));
after(() => rmSync(work, {recursive: true, force: true}));

const stubs = join(work, 'bin');
mkdirSync(stubs);
for (const name of ['apt-get', 'curl', 'gh']) {
    writeFileSync(join(stubs, name), `#!/bin/sh\necho "${name} $*" >> "$CALLS"\n`);
    chmodSync(join(stubs, name), 0o755);
}

const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('EVALFLEET_')));
const path = `${stubs}:${programs}:${process.env.PATH}`;

/** A checked-out repository with the evaluation of `evalfleet init`, whose provider is a simulated one. */
async function checkout(name, port) {
    const folder = join(work, name);
    mkdirSync(folder);
    copyFileSync(join(root, 'docs/ci/evaluate.sh'), join(folder, 'evaluate.sh'));
    const made = spawnSync('evalfleet', ['init', 'evaluation'], {cwd: folder, env: {...environment, PATH: path}, encoding: 'utf8'});
    assert.equal(made.status, 0, made.stderr);
    const runFile = join(folder, 'evaluation/run.yaml');
    const text = readFileSync(runFile, 'utf8');
    writeFileSync(runFile, text.replace(/base_url: .*$/m, `base_url: http://127.0.0.1:${port}/v1`));
    return folder;
}

async function startSimulator() {
    const file = join(work, 'port');
    const child = spawn('evalfleet', ['simulate', '--port', '0', '--port-file', file], {env: {...environment, PATH: path}, stdio: 'ignore'});
    after(() => child.kill('SIGKILL'));
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await new Promise((go) => setTimeout(go, 20));
    return readFileSync(file, 'utf8').trim();
}
const port = await startSimulator();

/** Runs a block as the service would, and tells how it ended and what it called. */
function runs(block, folder, variables) {
    const calls = join(folder, 'calls');
    writeFileSync(calls, '');
    const done = spawnSync('sh', ['-e', '-c', block], {
        cwd: folder, env: {...environment, ...variables, PATH: path, CALLS: calls, OPENAI_API_KEY: 'sk-of-a-test'}, encoding: 'utf8', timeout: 200_000,
    });
    return {...done, calls: readFileSync(calls, 'utf8')};
}

function checkInstalls(block, folder, variables) {
    const done = runs(block, folder, variables);
    assert.equal(done.status, 0, done.stderr);
    assert.match(done.calls, /^curl -fsSL -o evalfleet\.deb https:\/\/packages\.example\.com\/evalfleet\.deb$/m);
    assert.match(done.calls, /^apt-get install .*\.\/evalfleet\.deb redis-server$/m);
}

/** 0 and 1 are verdicts. */
function checkEvaluates(block, folder, variables, labels) {
    const done = runs(block, folder, variables);
    assert.ok(done.status === 0 || done.status === 1, `ended with ${done.status}: ${done.stdout}${done.stderr}`);
    for (const file of ['junit.xml', 'report.md', 'report.html', 'run/records.jsonl']) assert.ok(existsSync(join(folder, 'results', file)), file);
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'results/run/run.json'), 'utf8')).run_labels, labels);
    assert.match(readFileSync(join(folder, 'results/junit.xml'), 'utf8'), /<testsuite/);
}

const hostile = '$(touch hacked)`touch hacked`';

test('GitHub Actions: installs, evaluates, keeps the results, and comments with the report', async () => {
    const workflow = yaml.parse(example('github.yml'));
    assert.deepEqual(Object.keys(workflow).sort(), ['jobs', 'name', 'on', 'permissions']);
    const {evaluate, comment} = workflow.jobs;
    for (const job of [evaluate, comment])
        for (const step of job.steps) assert.ok(('run' in step) !== ('uses' in step), JSON.stringify(step));
    const step = (job, name) => job.steps.find((one) => one.name === name);
    const folder = await checkout('github', port);
    checkInstalls(step(evaluate, 'Install').run, folder, {PACKAGE: 'https://packages.example.com/evalfleet.deb'});
    checkEvaluates(step(evaluate, 'Evaluate').run, folder, {GITHUB_SHA: '41ed580', BRANCH: hostile, PR: '7'},
                   {branch: hostile, commit: '41ed580', pr: '7'});
    assert.ok(!existsSync(join(folder, 'hacked')), 'a branch\'s name was run');
    assert.equal(step(evaluate, 'Keep the results').with.path, 'results');
    const told = runs(step(comment, 'Comment with the report').run, folder, {PR: '7', GITHUB_REPOSITORY: 'us/it'});
    assert.equal(told.status, 0, told.stderr);
    assert.equal(told.calls, 'gh pr comment 7 --repo us/it --body-file results/report.md\n');
    assert.equal(comment.needs, 'evaluate');
    assert.equal(comment.permissions['pull-requests'], 'write');
});

test('no script of GitHub Actions has an expression in its text', () => {
    for (const job of Object.values(yaml.parse(example('github.yml')).jobs))
        for (const step of job.steps) assert.doesNotMatch(step.run ?? '', /\$\{\{/);
});

test('GitLab CI: installs, evaluates, and shows JUnit in the merge request', async () => {
    const {evaluation} = yaml.parse(example('gitlab-ci.yml'));
    const folder = await checkout('gitlab', port);
    const block = (lines) => lines.join('\n');
    checkInstalls(block(evaluation.before_script), folder, {EVALFLEET_PACKAGE: 'https://packages.example.com/evalfleet.deb'});
    checkEvaluates(block(evaluation.script), folder, {CI_COMMIT_SHA: '41ed580', CI_COMMIT_REF_NAME: 'fix', CI_MERGE_REQUEST_IID: '9'},
                   {branch: 'fix', commit: '41ed580', mr: '9'});
    assert.equal(evaluation.artifacts.reports.junit, 'results/junit.xml');
    assert.equal(evaluation.artifacts.when, 'always');
});

test('Jenkins: every block is closed, and the step evaluates', async () => {
    const text = example('Jenkinsfile');
    const bare = text.replace(/\/\/.*$/gm, '').replace(/'[^']*'/g, "''");
    let depth = 0;
    for (const sign of bare) {
        depth += sign === '{' ? 1 : sign === '}' ? -1 : 0;
        assert.ok(depth >= 0, 'a block is closed twice');
    }
    assert.equal(depth, 0, 'a block is open');
    for (const part of ['pipeline', 'agent', 'stages', 'steps', 'post']) assert.match(bare, new RegExp(`\\b${part} \\{`), part);
    const [, block] = /\bsh '([^']+)'/.exec(text);
    const folder = await checkout('jenkins', port);
    checkEvaluates(block, folder, {GIT_COMMIT: '41ed580', GIT_BRANCH: 'origin/main'}, {branch: 'origin/main', commit: '41ed580'});
});
