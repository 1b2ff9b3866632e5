// Every page at 360 and 1400 px, light and dark: fits the window, is clean for axe-core, paints soon, throws nothing.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {assertAccessible, assertFits, openBrowser, signIn} from './support/browser.mjs';
import {runFile, startFleet} from './support/fleet.mjs';
import {finished} from './support/scene.mjs';

const WIDE = `branch=${'W'.repeat(256)}`;
const LABELLED =
  `description: ${'long '.repeat(60)}\n` +
  `run_labels: {branch: ${'W'.repeat(256)}, ticket: "7", zone: eu, pr: "8"}\n`;

let fleet = null;
let pages = [];

before(
  async () => {
    fleet = await startFleet({simulate: ['--judge-malformed', '0.03', '--fault-500', '0.02']});
    const first = (await finished(fleet, runFile({name: 'nightly-qa', extra: LABELLED}))).run_id;
    const second = (await finished(fleet, runFile({name: 'nightly-qa', models: ['other-model']}))).run_id;
    const group = (await finished(fleet, runFile({name: 'choice', models: ['small', 'large'], repeats: 1}))).group_id;
    pages = [
      ['/runs', 'nightly-qa'],
      [`/runs?label=${encodeURIComponent(WIDE)}`, '1 in all'],
      ['/runs?label=not-a-label', 'label'],
      [`/runs/${first}`, 'How it was run'],
      [`/runs/${first}/samples`, '186 trials'],
      [`/runs/${first}/samples/0`, 'Reference answer'],
      [`/compare?base=${first}&candidate=${second}`, 'Samples that differ'],
      ['/compare', 'Choose a base and a candidate'],
      ['/groups', 'choice'],
      [`/groups/${group}`, 'Against the baseline'],
      ['/trends?name=nightly-qa', 'Bands are 95 % CI'],
      ['/fleet', 'worker-1'],
      ['/submit', 'Estimated cost'],
      ['/runbooks', 'EvalfleetNoWorkers'],
      ['/runs?q=nothing-is-called-so', 'No run fits'],
      ['/runs/no-such-run', 'Not found'],
    ];
  },
  {timeout: 600_000},
);
after(() => fleet?.stop(), {timeout: 120_000});

for (const width of [360, 1400]) {
  for (const dark of [false, true]) {
    test(`at ${width} px, ${dark ? 'dark' : 'light'}`, {timeout: 600_000}, async () => {
      const {page, faults, close} = await openBrowser(fleet.url, {width, dark});
      try {
        await page.goto('/login');
        await page.getByLabel('Token').waitFor();
        await assertAccessible(page, '/login');
        await signIn(page, 'admin');
        for (const [path, seen] of pages) {
          await page.goto(path);
          await page.locator('main').getByText(seen).filter({visible: true}).first().waitFor();
          await assertFits(page, path);
          await assertAccessible(page, path);
        }
        assert.deepEqual(faults, []);
      } finally {
        await close();
      }
    });
  }
}
