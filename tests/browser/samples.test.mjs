// From a failed run to one failed sample: facets, search, keys, repeats side by side, review and its export.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';

import {assertAccessible, signIn} from './support/browser.mjs';
import {runFile, TOKENS} from './support/fleet.mjs';
import {bin} from './support/places.mjs';
import {finished, scene} from './support/scene.mjs';

const at = scene({prepare: (fleet) => finished(fleet, runFile({name: 'nightly-qa', repeats: 3}))});
const rows = () => at.page.getByRole('list', {name: 'Trials'}).getByRole('listitem');
let path = null;

test('the run leads to its failed trials by their failure label', async () => {
  const {page, made} = at;
  path = `/runs/${made.run_id}`;
  await signIn(page, 'submitter', path);
  const failures = page.locator('section').filter({has: page.getByRole('heading', {name: 'Why trials failed'})});
  await failures.getByRole('link').first().click();
  await page.waitForURL(/samples\?failure_label=/);
  await rows().first().getByText('✗ fail').waitFor();
});

test('facets count what the API counts, and narrow the list', async () => {
  const {page, fleet} = at;
  await page.goto(`${path}/samples`);
  const all = await fleet.call('GET', `${path}/trials?passed=false&limit=1`);
  const failed = page.getByRole('group', {name: 'passed', exact: true}).getByRole('checkbox', {name: /failed/});
  await failed.check();
  await page.waitForURL(/passed=false/);
  await page.getByRole('status').getByText(`${all.total} trials`).waitFor();
  await page.getByRole('button', {name: /Remove filter passed/}).click();
  await page.getByRole('status').getByText('186 trials').waitFor();
});

test('full-text search finds by the task, and the address holds it', async () => {
  const {page} = at;
  await page.getByLabel('Search task, answer, rationale').fill('spring tides');
  await page.waitForURL(/q=spring\+tides/);
  await rows()
    .getByText(/spring tides/)
    .first()
    .waitFor();
  await page.reload();
  await rows()
    .getByText(/spring tides/)
    .first()
    .waitFor();
  assert.equal(await page.getByLabel('Search task, answer, rationale').inputValue(), 'spring tides');
});

test('j and k walk through samples, Escape goes back to the list', async () => {
  const {page} = at;
  await page.goto(`${path}/samples?passed=false`);
  await rows().first().getByText('✗ fail').waitFor();
  await page.keyboard.press('j');
  await page.waitForURL(/samples\/\d+\?passed=false/);
  const first = page.url();
  await page.keyboard.press('j');
  await page.waitForURL((url) => url.href !== first && /samples\/\d+/.test(url.pathname));
  await page.keyboard.press('k');
  await page.waitForURL(first);
  await page.keyboard.press('Escape');
  await page.waitForURL(/samples\?passed=false$/);
});

test('a sample shows question, repeats, timing, the difference to the reference and a call without a key', async () => {
  const {page} = at;
  await rows().first().getByRole('link').click();
  const detail = page.getByRole('article');
  await detail.getByText('Reference answer').waitFor();
  assert.equal(await detail.getByRole('region', {name: /^Repeat \d/}).count(), 3);
  await detail.getByText('Where the time went').first().waitFor();
  await detail.getByRole('button', {name: 'Compare with the reference'}).first().click();
  await detail.getByText('Answer against the reference').waitFor();
  const curl = await detail.getByText(/curl /).first().innerText();
  assert.match(curl, /chat\/completions/);
  await assertAccessible(page, 'sample');
});

test('a review is kept with who gave it, counts on the run page and is exported', async () => {
  const {page, fleet, made} = at;
  const first = page.getByRole('region', {name: 'Repeat 1'});
  await first.getByLabel('Comment').fill('<b>not</b> what was asked');
  await first.getByLabel('Accuracy').selectOption('1');
  await first.getByLabel('Faithfulness').selectOption('2');
  await first.getByRole('button', {name: 'Override'}).click();
  await first.getByText(/ada says accuracy 1, faithfulness 2: <b>not<\/b> what was asked/).waitFor();
  await page.getByRole('region', {name: 'Repeat 2'}).getByRole('button', {name: 'The judge is right'}).click();
  await page
    .getByRole('region', {name: 'Repeat 2'})
    .getByText(/ada agrees/)
    .waitFor();
  await page.goto(path);
  await page.getByRole('heading', {name: 'Judge and people'}).waitFor();
  await page.getByText(/2 reviewed trials/).waitFor();
  const reply = await fetch(`${fleet.url}/api/v1/runs/${made.run_id}/labels.jsonl`, {
    headers: {Authorization: `Bearer ${TOKENS.reader}`},
  });
  const labels = await reply.text();
  const lines = labels
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, 2);

  // What people said counts when the records are scored anew.
  writeFileSync(join(fleet.folder, 'labels.jsonl'), labels);
  const records = join(fleet.folder, 'store/runs', made.run_id, 'records.jsonl');
  const derived = execFileSync(join(bin, 'evalfleet'), [
    'derive',
    records,
    '--labels',
    join(fleet.folder, 'labels.jsonl'),
  ]);
  const scored = derived
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const own = scored.find((one) => one.sample_id === lines[0].sample_id && one.repeat === 1);
  assert.equal(own.accuracy_score, 1);
  assert.equal(own.faithfulness_score, 2);
  assert.equal(own.rationale, '<b>not</b> what was asked');
  assert.equal(scored.filter((one) => one.evaluator_error === 'missing_label').length, scored.length - 2);
});

test('no error happened', () => assert.deepEqual(at.faults, []));
