// Comparing: two runs chosen in the list, a group with its matrix, a trend.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {test} from 'node:test';

import {assertAccessible, assertFits, openBrowser, signIn} from './support/browser.mjs';
import {runFile, TOKENS} from './support/fleet.mjs';
import {bin} from './support/places.mjs';
import {finished, scene} from './support/scene.mjs';

const LABELLED = 'description: before the change\nrun_labels: {branch: main, ticket: "a=b & c", pr: "7", zone: eu}\n';

const at = scene({
  prepare: async (fleet) => ({
    first: (await finished(fleet, runFile({name: 'nightly-qa', repeats: 2, extra: LABELLED}))).run_id,
    second: (await finished(fleet, runFile({name: 'nightly-qa', models: ['other-model'], repeats: 2}))).run_id,
    group: (await finished(fleet, runFile({name: 'choice', models: ['small', 'large'], repeats: 1}))).group_id,
  }),
});

test('runs are found by their labels, in the address as by hand', async () => {
  const {page, made} = at;
  await signIn(page, 'reader', '/runs');
  const rows = page.getByRole('region', {name: 'List of runs'}).getByRole('rowheader');
  const labelled = rows.filter({hasText: made.first});
  await labelled.getByText('before the change').waitFor();
  await labelled.getByText('+1').waitFor();
  await labelled.getByRole('link', {name: 'branch=main'}).click();
  await page.waitForURL((url) => url.search === '?label=branch%3Dmain');
  await page.getByText('1 in all').waitFor();
  await page.getByText('More filters', {exact: true}).click();
  await page.getByRole('textbox', {name: 'Label'}).fill('ticket=a=b & c');
  await page.getByRole('button', {name: 'Add'}).click();
  await page.waitForURL((url) => url.searchParams.getAll('label').join('|') === 'branch=main|ticket=a=b & c');
  await page.reload();
  await labelled.waitFor();
  assert.equal(await rows.count(), 1);
  await assertAccessible(page, 'runs by label');

  await page.goto('/runs?label=branch%3Dmain&label=pr%3D8');
  await page.getByText('No run fits').waitFor();
  await page.getByRole('button', {name: 'Remove label pr=8'}).click();
  await page.waitForURL((url) => url.search === '?label=branch%3Dmain');
  await labelled.waitFor();
});

test('a run shows its description and all its labels, which lead to the runs that have them', async () => {
  const {page, made} = at;
  await page.goto(`/runs/${made.first}`);
  await page.getByText('before the change').first().waitFor();
  await page.getByRole('link', {name: 'zone=eu'}).waitFor();
  await page.getByRole('link', {name: 'ticket=a=b & c'}).click();
  await page.waitForURL((url) => url.pathname === '/runs' && url.searchParams.get('label') === 'ticket=a=b & c');
  await page.getByText('1 in all').waitFor();
});

test('two runs are chosen and compared, the older as the base', async () => {
  const {page, made} = at;
  await signIn(page, 'reader', '/runs?name=nightly-qa');
  const boxes = page.getByRole('checkbox', {name: /Compare nightly-qa/});
  await boxes.nth(1).waitFor();
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByRole('region', {name: 'Selection'}).getByRole('link', {name: 'Compare'}).click();
  await page.waitForURL(`**/compare?base=${made.first}&candidate=${made.second}`);
  await page.getByRole('table', {name: 'Scores and rates'}).waitFor();
  await page.getByRole('rowheader', {name: /aggregate score/}).waitFor();
});

test('samples that flipped show both answers and what differs', async () => {
  const {page} = at;
  const flips = page
    .locator('section')
    .filter({has: page.getByRole('heading', {name: 'Samples that differ'})})
    .last();
  await flips.getByText(/^\d+ samples?$/).waitFor();
  await flips.getByText('Answers, base to candidate').first().click();
  await flips.locator('details[open] pre').first().waitFor();
  await flips.getByLabel('Scores differ by at least').fill('2');
  await flips.getByText('No sample differs so').waitFor();
});

test('base and candidate change places, and the address follows', async () => {
  const {page, made} = at;
  await page.getByRole('button', {name: 'Swap'}).click();
  await page.waitForURL(`**/compare?base=${made.second}&candidate=${made.first}`);
  await page.getByRole('table', {name: 'Scores and rates'}).waitFor();
});

test('a group has a ranking and a matrix that can be narrowed to differences', async () => {
  const {page, made} = at;
  await page.goto('/groups');
  await page.getByRole('link', {name: 'choice'}).click();
  await page.waitForURL(`**/groups/${made.group}`);
  await page.getByRole('heading', {name: 'Ranking'}).waitFor();
  const matrix = page.getByRole('region', {name: 'Samples by model and prompt'});
  await matrix.getByRole('columnheader', {name: /small/}).waitFor();
  const all = await matrix.getByRole('row').count();
  await page.getByLabel('only where they differ').check();
  await page.waitForURL(/differ=true/);
  await page.waitForFunction((before) => document.querySelectorAll('.matrix tr').length < before, all);
});

test('the report of a group opens as a page of its own, with its look', async () => {
  const {page, faults, fleet, made} = at;
  await page.goto(`/groups/${made.group}`);
  const [report] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', {name: 'Report'}).click(),
  ]);
  await report.getByRole('heading', {name: 'Ranking'}).waitFor();
  assert.equal(await report.evaluate(() => getComputedStyle(document.querySelector('.card')).borderTopStyle), 'solid');
  assert.equal(report.url(), `${fleet.url}/api/v1/groups/${made.group}/report.html`);
  await report.close();
  assert.deepEqual(faults, []);
});

test('a trend shows the runs of a name and what changed between them', async () => {
  const {page} = at;
  await page.goto('/trends?name=nightly-qa');
  await page.getByRole('img', {name: /^Pass rate:/}).waitFor();
  await page.getByRole('cell', {name: 'model changed'}).waitFor();
});

// Exit code 1 or 3 is what was found, 2 a failure.
function evalfleet(fleet, ...args) {
  const ended = spawnSync(join(bin, 'evalfleet'), [...args, '--coordinator-url', fleet.url], {
    env: {...process.env, EVALFLEET_TOKEN: TOKENS.reader},
    encoding: 'utf8',
  });
  assert.ok([0, 1, 3].includes(ended.status), `${args.join(' ')}: ${ended.status} ${ended.stderr}`);
  return ended.stdout;
}

test('a group is told in the terminal', () => {
  const {fleet, made} = at;
  assert.match(evalfleet(fleet, 'status', made.group), /main\/small@1[^]*main\/large@1/);
  assert.match(evalfleet(fleet, 'report', made.group), /rank[^]*against the baseline/);
  assert.match(evalfleet(fleet, 'report', made.group, '--format', 'md'), /^## Group /);
  assert.equal(JSON.parse(evalfleet(fleet, 'report', made.group, '--format', 'json')).group_id, made.group);
});

test('the records of a run are told as CSV with what was asked', () => {
  const [head, row] = evalfleet(at.fleet, 'report', at.made.first, '--format', 'csv').split('\r\n');
  assert.match(head, /,question,context,reference_answer,prompt,answer,rationale$/);
  assert.match(row, /What is the tidal range at spring tides\?/);
  assert.match(row, /system: Answer from the context/);
});

test('a comparison and a group go out as one page each that needs nothing else', async () => {
  const {fleet, made} = at;
  const pages = {comparison: join(fleet.folder, 'compare.html'), group: join(fleet.folder, 'group.html')};
  evalfleet(fleet, 'compare', made.first, made.second, '--format', 'html', '--out', pages.comparison);
  evalfleet(fleet, 'report', made.group, '--format', 'html', '--out', pages.group);
  const {page, faults, close} = await openBrowser(`file://${fleet.folder}`);
  for (const [what, file] of Object.entries(pages)) {
    await page.goto(`file://${file}`);
    await page.getByText('p (Holm)').first().waitFor({state: 'attached'});
    await page.evaluate(() =>
      document.querySelectorAll('details').forEach((one) => {
        one.open = true;
      }),
    );
    await assertAccessible(page, what);
    await page.setViewportSize({width: 360, height: 800});
    await assertFits(page, what);
    await page.setViewportSize({width: 1400, height: 900});
  }
  await close();
  assert.deepEqual(faults, []);
});

test('no error happened', () => assert.deepEqual(at.faults, []));
