// `evalfleet view` over the folder of a local run: the same pages without sign-in, Redis or a fleet; reviews go
// into the folder.
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {assertAccessible, openBrowser} from './support/browser.mjs';
import {bin, root} from './support/places.mjs';
import {start, until} from './support/process.mjs';

const folder = mkdtempSync(join(tmpdir(), 'evalfleet-view-test-'));
const out = join(folder, 'run');
let program = null;
let browser = null;

before(
  async () => {
    // Exit code 1 is a verdict (a gate failed), not a failure.
    const code = await new Promise((done) =>
      execFile(
        join(bin, 'evalfleet'),
        ['run', join(root, 'docs/examples/demo.yaml'), '--simulate', '--out', out, '--label', 'branch=main'],
        {timeout: 300_000, maxBuffer: 64 << 20},
        (error) => done(error ? error.code : 0),
      ),
    );
    assert.ok(code === 0 || code === 1, `evalfleet run ended with ${code}`);
    program = start(join(bin, 'evalfleet'), ['view', out], {env: {...process.env, BROWSER: 'true', DISPLAY: ''}});
    const url = await until('the link', () => /http:\/\/127\.0\.0\.1:\d+/.exec(program.output())?.[0]);
    browser = await openBrowser(url);
  },
  {timeout: 600_000},
);
after(
  async () => {
    await browser?.close();
    await program?.end('SIGINT');
    rmSync(folder, {recursive: true, force: true});
  },
  {timeout: 120_000},
);

test('the run is there without sign-in, and nothing that needs a fleet', async () => {
  const {page} = browser;
  await page.goto('/');
  await page.getByRole('link', {name: 'demo'}).click();
  await page.getByRole('region', {name: 'Verdict'}).waitFor();
  await page.getByRole('heading', {name: 'Why trials failed'}).waitFor();
  assert.equal(await page.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name: 'Fleet'}).count(), 0);
  assert.equal(await page.getByRole('button', {name: 'Delete'}).count(), 0);
  await assertAccessible(page, 'run in view');
});

test('its labels are there, and it is found by them', async () => {
  const {page} = browser;
  const run = new URL(page.url()).pathname;
  await page.getByRole('link', {name: 'branch=main'}).click();
  await page.waitForURL((url) => url.search === '?label=branch%3Dmain');
  await page.getByRole('link', {name: 'demo', exact: true}).waitFor();
  await page.goto('/runs?label=branch%3Dother');
  await page.getByText('No run fits').waitFor();
  await page.goto(run);
});

test('samples have their texts from the folder alone', async () => {
  const {page} = browser;
  await page.getByRole('link', {name: 'Samples'}).click();
  await page.getByRole('list', {name: 'Trials'}).getByRole('link').first().click();
  await page.getByRole('article').getByText('Reference answer').waitFor();
});

test('a review goes into the folder', async () => {
  const {page} = browser;
  const first = page.getByRole('region', {name: 'Repeat 1'});
  await first.getByRole('button', {name: 'The judge is right'}).click();
  await first.getByText(/agrees with the judge/).waitFor();
  const kept = readdirSync(out, {recursive: true}).find((name) => String(name).endsWith('reviews.jsonl'));
  assert.ok(kept && existsSync(join(out, String(kept))), 'a file of reviews');
  assert.match(readFileSync(join(out, String(kept)), 'utf8'), /"agree":\s*true/);
});

test('no error happened', () => assert.deepEqual(browser.faults, []));
