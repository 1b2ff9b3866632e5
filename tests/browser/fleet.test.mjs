// The fleet's page, its runbooks, and submitting: a mistake at its line, the price, the run.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {signIn} from './support/browser.mjs';
import {runFile} from './support/fleet.mjs';
import {scene} from './support/scene.mjs';

const at = scene();

test('the fleet shows its workers, Redis and queues', async () => {
  const {page} = at;
  await signIn(page, 'submitter', '/fleet');
  await page.getByRole('rowheader', {name: /worker-1/}).waitFor();
  await page.getByText('✓ reachable').waitFor();
  await page.getByText('0 trials, 8 slots').first().waitFor();
});

test('runbooks can be read here', async () => {
  const {page} = at;
  await page.goto('/runbooks#EvalfleetNoWorkers');
  await page.getByRole('heading', {name: 'EvalfleetNoWorkers'}).waitFor();
});

test('a mistake is told at its line, as the server tells it', async () => {
  const {page} = at;
  await page.goto('/submit');
  const editor = page.getByRole('textbox', {name: 'Run file'});
  await editor.fill(
    runFile({name: 'by-hand', repeats: 1}).replace(
      'provider: main, name: demo-model',
      'provider: mian, name: demo-model',
    ),
  );
  await page.getByRole('button', {name: /Line 4.*mian/}).click();
  await page.locator('.gutter .fault').getByText('✗ 4').waitFor();
  assert.equal(
    await editor.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd).includes('mian')),
    true,
  );
  assert.equal(await page.getByRole('button', {name: 'Submit', exact: true}).isDisabled(), true);
});

test('a good file shows its calls, and becomes a run', async () => {
  const {page, fleet} = at;
  await page.getByRole('textbox', {name: 'Run file'}).fill(runFile({name: 'by-hand', repeats: 1}));
  await page.getByText('✓ valid').waitFor();
  await page.getByRole('button', {name: 'Submit', exact: true}).click();
  await page.waitForURL(/\/runs\/[^/]+by-hand/);
  const run = await fleet.ended(new URL(page.url()).pathname.split('/').at(-1));
  assert.equal(run.submitted_by, 'ada');
});

test('the form writes a run file that the server takes', async () => {
  const {page} = at;
  await page.goto('/submit');
  await page.getByText('Fill in a form').click();
  for (const [label, value] of [
    ['Name', 'by-form'],
    ['Provider', 'main'],
    ['Model', 'demo-model'],
    ['Version', '1'],
    ['Judge', 'demo-judge'],
  ]) {
    await page.getByLabel(label, {exact: true}).fill(value);
  }
  await page.getByRole('button', {name: 'Write the run file'}).click();
  await page.getByText('✓ valid').waitFor();
});

test('no error happened', () => assert.deepEqual(at.faults, []));
