// Hostile text in every field that reaches a page: names, data sets, answers, tags, labels. It must be shown as text.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {assertAccessible, signIn} from './support/browser.mjs';
import {runFile} from './support/fleet.mjs';
import {finished, scene} from './support/scene.mjs';

const EVIL =
  '<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>\'"' +
  '`${globalThis.pwned=1}</textarea><style>*{display:none}</style>';
const LONG = 'W'.repeat(3000);
const sample = (i) =>
  JSON.stringify({
    id: `id ${i} ${EVIL}`,
    task: `${EVIL} ‮ task ${i} ${i === 1 ? LONG : ''}`,
    reference_answer: `${EVIL} reference`,
    context: `${EVIL} context`,
    task_type: `type ${EVIL.slice(0, 40)}`,
    tags: {[`k<b>${i}`]: EVIL.slice(0, 60), 'javascript:x': '"><svg onload=alert(1)>'},
  });
const DATASET = `${[0, 1, 2, 3].map(sample).join('\n')}\n`;
const FILE = runFile({
  name: EVIL.slice(0, 60),
  models: ['m-1'],
  repeats: 2,
  extra:
    `description: ${JSON.stringify(`${EVIL} described`)}\n` +
    `run_labels: {branch: ${JSON.stringify(EVIL)}, wide: ${JSON.stringify(LONG.slice(0, 256))}}\n`,
  template: `${EVIL.replaceAll('{', '(').replaceAll('}', ')')}\n{{context}}\n{{task}}`,
});

const at = scene({
  fleet: {dataset: DATASET},
  prepare: async (fleet) => {
    const {run_id: id} = await finished(fleet, FILE);
    const {run_id: other} = await finished(fleet, FILE.replace('m-1', 'm-2'));
    await fleet.call(
      'POST',
      `/runs/${id}/labels`,
      JSON.stringify({sample_index: 0, repeat: 1, agree: false, accuracy: 0, faithfulness: 0, comment: EVIL}),
      {'Content-Type': 'application/json'},
    );
    return {id, other};
  },
});

async function assertHarmless(where) {
  const {page, faults} = at;
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined, `${where}: a script ran`);
  assert.equal(
    await page.locator('main img, main script, main style, main iframe').count(),
    0,
    `${where}: markup from data`,
  );
  assert.equal(await page.locator('a[href^="javascript:"]').count(), 0, where);
  assert.deepEqual(faults, [], where);
}

test('hostile text is shown as text on every page of a run', async () => {
  const {page, made} = at;
  await signIn(page, 'admin', '/runs');
  const places = [
    ['/runs', 'onerror'],
    ['/runs', 'branch=<img'],
    [`/runs?label=${encodeURIComponent(`branch=${EVIL}`)}`, 'branch=<img'],
    [`/runs/${made.id}`, 'onerror'],
    [`/runs/${made.id}`, 'described'],
    [`/runs/${made.id}`, 'branch=<img'],
    [`/runs/${made.id}/samples`, 'onerror'],
    [`/runs/${made.id}/samples/0`, 'onerror'],
    [`/runs/${made.id}/samples/1`, 'WWWW'],
    [`/compare?base=${made.id}&candidate=${made.other}`, 'Samples that differ'],
    [`/trends?name=${encodeURIComponent(EVIL.slice(0, 60))}`, 'm-'],
  ];
  for (const [path, seen] of places) {
    await page.goto(path);
    await page.locator('main').getByText(seen).filter({visible: true}).first().waitFor();
    await assertHarmless(path);
    await assertAccessible(page, path);
  }
});

test('a comment of a reviewer is text', async () => {
  const {page, made} = at;
  await page.goto(`/runs/${made.id}/samples/0`);
  await page.getByText(/says accuracy 0, faithfulness 0: <img src=x/).waitFor();
  await assertHarmless('review');
});

test('hostile addresses lead nowhere', async () => {
  const {page} = at;
  for (const path of [
    `/runs/${encodeURIComponent(EVIL)}`,
    `/runs?q=${encodeURIComponent(EVIL)}`,
    `/runs?label=${encodeURIComponent(EVIL)}`,
    `/compare?base=${encodeURIComponent(EVIL)}&candidate=x`,
    `/groups/${encodeURIComponent('../../etc')}`,
    `/trends?name=${encodeURIComponent(EVIL)}`,
  ]) {
    await page.goto(path);
    await page.locator('main h1, main [role=alert], main .state').first().waitFor();
    await assertHarmless(path);
  }
  await page.goto(`/login?next=${encodeURIComponent('//evil.example/')}`);
  await page.getByLabel('Token').waitFor();
  await assertHarmless('/login');
});
