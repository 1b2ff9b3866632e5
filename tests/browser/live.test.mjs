// A run while it runs: rows and gates move without a reload, and come back after the coordinator was killed.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {signIn} from './support/browser.mjs';
import {runFile, TOKENS} from './support/fleet.mjs';
import {finished, scene} from './support/scene.mjs';

// Slow enough that there is something to see; the test waits for what it wants to see, not for a time.
const at = scene({
  fleet: {latencyMs: 150, concurrency: 2},
  prepare: (fleet) => finished(fleet, runFile({name: 'before', repeats: 1})),
});
let id = null;

test('a run that is handed in elsewhere is offered, and its row moves', async () => {
  const {page, fleet} = at;
  await signIn(page);
  await page.getByRole('link', {name: 'before'}).waitFor();
  await page.getByText('live', {exact: true}).waitFor();
  ({run_id: id} = await fleet.submit(runFile({name: 'live-one', repeats: 6})));
  await page.getByRole('button', {name: /1 new run/}).click();
  const row = page.getByRole('row', {name: /live-one/});
  await row.getByText(/running|finishing|done/).waitFor();
  await row.getByText(/%/).first().waitFor();
});

test('gates form with their intervals while it runs', async () => {
  const {page} = at;
  await page.getByRole('link', {name: 'live-one'}).click();
  await page.getByRole('heading', {level: 1, name: 'live-one'}).waitFor();
  const gates = page.getByRole('list', {name: 'Gates'}).getByRole('listitem');
  await gates.nth(3).waitFor();
  assert.equal(await gates.count(), 4);
  await gates
    .getByText(/95 % CI/)
    .first()
    .waitFor();
  await gates
    .getByText(/open|decided/)
    .first()
    .waitFor();
});

test('a coordinator that is killed is told; after its restart one signs in again and is where one was', async () => {
  const {page, fleet} = at;
  assert.equal(
    await page.getByRole('region', {name: 'Verdict'}).count(),
    0,
    'the run was over too early for this test',
  );
  await fleet.killCoordinator();
  await page.getByText('Connection lost.').waitFor();
  await page.getByRole('list', {name: 'Gates'}).waitFor();
  await fleet.restartCoordinator();
  await page.getByText('Sign in to go on where you were').waitFor();
  await page.getByLabel('Token').fill(TOKENS.admin);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/runs/${id}$`));
  await page
    .getByRole('list', {name: 'Gates'})
    .getByText(/95 % CI/)
    .first()
    .waitFor();
});

test('the verdict appears by itself at the end', async () => {
  const {page, fleet} = at;
  const verdict = page.getByRole('region', {name: 'Verdict'});
  await verdict.waitFor({timeout: 240_000});
  const run = await fleet.ended(id);
  await verdict.getByText(run.release_ready ? 'Ready for release' : 'Not ready').waitFor();
  await page.getByRole('heading', {name: 'Why trials failed'}).waitFor();
  await page.getByText(`${run.total} of ${run.total}`).waitFor();
});

test('pause, resume and cancel act on the run', async () => {
  const {page, fleet} = at;
  const {run_id: other} = await fleet.submit(runFile({name: 'steered', repeats: 20}));
  await page.goto(`/runs/${other}`);
  await page.getByRole('button', {name: 'Pause'}).click();
  await page.getByRole('button', {name: 'Resume'}).click();
  await page.getByRole('button', {name: 'Pause'}).waitFor();
  await page.getByRole('button', {name: 'Cancel'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Cancel the run'}).click();
  await page.getByRole('region', {name: 'Verdict'}).waitFor();
  assert.equal((await fleet.ended(other)).state, 'cancelled');
});

test('no error happened', () => assert.deepEqual(at.faults, []));
