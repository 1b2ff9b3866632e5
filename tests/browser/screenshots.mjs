// Makes the pictures of docs/images from a whole fleet: node tests/browser/screenshots.mjs [NAME...] (make
// screenshots).
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';

import {openBrowser, signIn} from './support/browser.mjs';
import {runFile, startFleet} from './support/fleet.mjs';
import {root} from './support/places.mjs';
import {finished} from './support/scene.mjs';

const images = join(root, 'docs/images');
mkdirSync(images, {recursive: true});

const fleet = await startFleet({simulate: ['--judge-malformed', '0.02', '--fault-500', '0.02'], latencyMs: 60});
try {
  const labels = (commit) => `run_labels: {branch: main, commit: "${commit}"}\n`;
  const nightly = (extra = {}) => finished(fleet, runFile({name: 'nightly-qa', extra: labels('41ed580'), ...extra}));
  const first = (await nightly()).run_id;
  await nightly({extra: labels('7c02b9e'), template: '{{context}}\n\nQuestion: {{task}}'});
  const last = (await nightly({models: ['demo-model-b']})).run_id;
  const group = (
    await finished(fleet, runFile({name: 'model-choice', models: ['small-model', 'large-model', 'other-model']}))
  ).group_id;
  const failed = (await fleet.call('GET', `/runs/${last}/trials?passed=false&limit=1`)).trials[0].sample_index;
  const running = (await fleet.submit(runFile({name: 'release-candidate', repeats: 40}))).run_id;

  const shots = [
    ['runs', '/runs', 'release-candidate'],
    ['run-live', `/runs/${running}`, '95 % CI'],
    ['run', `/runs/${last}`, 'Why trials failed'],
    ['samples', `/runs/${last}/samples?passed=false`, 'trials'],
    ['sample', `/runs/${last}/samples/${failed}?passed=false`, 'Where the time went'],
    ['compare', `/compare?base=${first}&candidate=${last}`, 'Samples that differ'],
    ['group', `/groups/${group}`, 'Against the baseline', {dark: true}],
    ['trends', '/trends?name=nightly-qa', 'Bands are 95 % CI'],
    ['fleet', '/fleet', 'worker-1'],
    ['submit', '/submit', 'Estimated cost'],
    ['run-narrow', `/runs/${last}`, 'Why trials failed', {width: 360, height: 780}],
  ];
  const wanted = process.argv.slice(2);
  for (const [name, path, seen, options = {}] of shots.filter(
    ([name]) => wanted.length === 0 || wanted.includes(name),
  )) {
    const {page, close} = await openBrowser(fleet.url, {width: 1280, height: 860, ...options});
    if (name === 'runs') {
      await page.goto('/login');
      await page.getByLabel('Token').waitFor();
      await page.screenshot({path: join(images, 'login.png')});
    }
    await signIn(page, 'submitter', path);
    await page.locator('main').getByText(seen).filter({visible: true}).first().waitFor();
    if (name === 'submit') {
      await page
        .getByRole('textbox', {name: 'Run file'})
        .fill(
          runFile({name: 'release-candidate'}).replace(
            'provider: main, name: demo-model',
            'provider: mian, name: demo-model',
          ),
        );
      await page.getByRole('button', {name: /Line 4/}).waitFor();
    }
    await page.screenshot({path: join(images, `${name}.png`)});
    await close();
  }
  await fleet.call('POST', `/runs/${running}/cancel`);
} finally {
  await fleet.stop();
}
