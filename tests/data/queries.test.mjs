// What docs/data.md shows, with a real DuckDB and real runs: the tables, the imports, every query, Parquet.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const bin = process.env.EVALFLEET_BIN_DIR ?? join(root, 'build', 'release', 'bin');
const tools = process.env.EVALFLEET_DATA_TOOLS ?? join(root, 'build', 'data-tools');
assert.ok(existsSync(join(tools, 'complete')), `${tools} is not complete: run make data-tools`);
const {DuckDBInstance} = createRequire(join(tools, 'x.js'))('@duckdb/node-api');

const page = readFileSync(join(root, 'docs', 'data.md'), 'utf8');
const blocks = [...page.matchAll(/```sql\n(.*?)```/gs)].map((match) => match[1]);
const query = (name) => {
  const found = blocks.find((block) => block.startsWith(`-- query: ${name}\n`));
  assert.ok(found, `docs/data.md has no query ${name}`);
  return found;
};

const work = mkdtempSync(join(tmpdir(), 'evalfleet-data-'));
let duck;

function evalfleet(...args) {
  const done = spawnSync(join(bin, 'evalfleet'), args, {cwd: work, encoding: 'utf8', maxBuffer: 1 << 28});
  assert.ok(done.status === 0 || done.status === 1, `evalfleet ${args.join(' ')}: ${done.status} ${done.stderr}`);
  return done.stdout;
}
const rows = async (sql) => (await duck.runAndReadAll(sql)).getRowObjectsJson();
const lines = (file) => readFileSync(join(work, file), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
const sum = (records, member) => records.reduce((all, record) => all + (record[member] ?? 0), 0);

before(async () => {
  const samples = Array.from({length: 24}, (_, i) => ({
    id: `q${i}`, task: i === 0 ? '=1+1, "quoted"\nand more' : `question ${i}?`, reference_answer: `answer ${i}`,
    task_type: i % 2 ? 'qa' : 'math', tags: {lang: i % 3 ? 'en' : 'de'},
  }));
  writeFileSync(join(work, 'qa.jsonl'), samples.map((sample) => JSON.stringify(sample)).join('\n') + '\n');
  writeFileSync(join(work, 'run.yaml'), `version: 1
name: nightly
dataset: {path: qa.jsonl}
model: {provider: sim, name: m, version: "1"}
judge: {provider: sim, name: j, version: "1"}
prompt: {id: qa, version: "3", template: "{{task}}"}
repeats: 2
providers:
  sim: {type: openai, base_url: "http://127.0.0.1:1/v1", prices: {input_usd_per_mtok: 1000, output_usd_per_mtok: 2000}}
`);
  evalfleet('run', 'run.yaml', '--simulate', '--out', 'results', '--no-progress');
  evalfleet('rejudge', 'results', '--judge', 'sim/j2@1', '--providers', 'run.yaml', '--simulate', '--out', 'judged');
  evalfleet('verify', 'results');
  writeFileSync(join(work, 'trials.csv'), evalfleet('report', 'results', '--format', 'csv'));
  duck = await (await DuckDBInstance.create(':memory:')).connect();
  await duck.run(evalfleet('schema', '--duckdb'));
  const imports = blocks.find((block) => block.startsWith('COPY records FROM'));
  await duck.run(`SET file_search_path = '${work}'`);
  for (const statement of imports.split(';').filter((each) => each.trim())) await duck.run(statement);
});

after(() => {
  duck?.closeSync?.();
  rmSync(work, {recursive: true, force: true});
});

test('columns have their types although they are null in every row', async () => {
  assert.deepEqual(await rows('SELECT count(*) AS all, count(error_kind) AS with_error FROM records'), [
    {all: '48', with_error: '0'},
  ]);
  for (const table of ['records', 'trials'])
    assert.deepEqual(await rows(`SELECT DISTINCT typeof(error_kind) AS type FROM ${table}`), [{type: 'VARCHAR'}], table);
  const [{seconds}] = await rows("SELECT date_diff('second', min(started_at_utc), now()) AS seconds FROM records");
  assert.ok(Number(seconds) >= 0 && Number(seconds) < 3600, seconds);
  const [{lang}] = await rows("SELECT tags['lang'] AS lang FROM records WHERE sample_id = 'q3' AND repeat = 1");
  assert.equal(lang, 'de');
});

test('the CSV says the same as the records, with run, model and prompt in every row', async () => {
  const [same] = await rows(`
    SELECT count(*) AS trials, count(*) FILTER (t.latency_e2e_ms = r.latency_e2e_ms AND t.rubric_passed = r.rubric_passed
      AND t.answer IS NOT DISTINCT FROM r.answer AND t.run_id = r.run_id) AS equal
    FROM trials t JOIN records r USING (sample_index, repeat)`);
  assert.deepEqual(same, {trials: '48', equal: '48'});
  assert.deepEqual(await rows('SELECT DISTINCT run_name, model, prompt_template FROM trials'), [
    {run_name: 'nightly', model: 'sim/m@1', prompt_template: 'qa@3'},
  ]);
  const [{question}] = await rows("SELECT question FROM trials WHERE sample_id = 'q0' LIMIT 1");
  assert.equal(question, `'=1+1, "quoted"\nand more`);
});

test('the query of failures counts every trial and all of its cost', async () => {
  const found = await rows(query('failures'));
  const records = lines('results/records.jsonl');
  assert.equal(found.reduce((all, row) => all + Number(row.trials), 0), records.length);
  assert.ok(Math.abs(sum(found, 'usd') - sum(records, 'cost_usd')) < 1e-9);
  assert.ok(sum(found, 'usd') > 0);
});

test('the query of slices finds those that are surely below, and slices are those of the summary', async () => {
  await rows(query('slices'));
  const summary = JSON.parse(readFileSync(join(work, 'results', 'summary.json'), 'utf8'));
  for (const [type, blocks] of Object.entries(summary.slices.task_type)) {
    const [row] = await rows(`SELECT trials, pass_rate FROM slices WHERE dimension = 'task_type' AND value = '${type}'`);
    assert.deepEqual([Number(row.trials), row.pass_rate], [blocks.rubric.total_count, blocks.rubric.pass_rate]);
  }
  const [{tags}] = await rows("SELECT count(*) AS tags FROM slices WHERE dimension = 'tag:lang'");
  assert.equal(Number(tags), 2);
  await duck.run("UPDATE slices SET pass_rate_ci95_upper = 0.5 WHERE value = 'de'");
  const found = await rows(query('slices'));
  assert.ok(found.some((row) => row.dimension === 'tag:lang' && row.value === 'de'));
  assert.ok(found.every((row) => row.pass_rate_ci95_upper < 0.9));
});

test('a run that judges anew adds its judge to the cost, and no call twice', async () => {
  await duck.run("COPY records FROM 'judged/records.jsonl' (FORMAT json)");
  const found = await rows(query('cost'));
  assert.equal(found.length, 3);
  const all = found.at(-1);
  const [first, second] = [lines('results/records.jsonl'), lines('judged/records.jsonl')];
  assert.ok(Math.abs(all.model_usd - sum(first, 'cost_usd')) < 1e-9, 'the model was called once');
  assert.equal(sum(second, 'cost_usd'), 0);
  assert.ok(sum(second, 'evaluator_cost_usd') > 0);
  const judges = sum(first, 'evaluator_cost_usd') + sum(second, 'evaluator_cost_usd');
  assert.ok(Math.abs(all.judge_usd - judges) < 1e-9);
});

test('Parquet keeps the types', async () => {
  await duck.run(query('parquet').replace("'records.parquet'", `'${join(work, 'records.parquet')}'`));
  const kinds = await rows(`DESCRIBE SELECT error_kind, started_at_utc FROM '${join(work, 'records.parquet')}'`);
  assert.deepEqual(kinds.map((kind) => kind.column_type), ['VARCHAR', 'TIMESTAMP WITH TIME ZONE']);
});

test('a report as Parquet is refused with the way that works; CSV begins with a mark if asked', () => {
  const refused = spawnSync(join(bin, 'evalfleet'), ['report', 'results', '--format', 'parquet'], {cwd: work, encoding: 'utf8'});
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /evalfleet schema --duckdb.*FORMAT parquet/s);
  const csv = execFileSync(join(bin, 'evalfleet'), ['report', 'results', '--format', 'csv', '--bom', '--out', 'bom.csv'], {cwd: work});
  assert.equal(csv.length, 0);
  assert.deepEqual([...readFileSync(join(work, 'bom.csv')).subarray(0, 9)], [0xef, 0xbb, 0xbf, ...Buffer.from('run_id')]);
  assert.equal(evalfleet('report', 'results', '--format', 'slices'), readFileSync(join(work, 'results', 'slices.jsonl'), 'utf8'));
});
