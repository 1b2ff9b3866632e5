// How quick the pages are over a run of 10^6 trials, and what ten people cost the coordinator: a real fleet, a real
// browser. Prints one JSON object with the limits; ends with 1 if one is broken.
//   node tests/bench/pages/pages.mjs [TRIALS]   (after `make build browser-tools`)
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';

import {openBrowser, signIn} from '../../browser/support/browser.mjs';
import {runFile, startFleet, TOKENS} from '../../browser/support/fleet.mjs';
import {until} from '../../browser/support/process.mjs';
import {finished} from '../../browser/support/scene.mjs';
import {PHRASE, RARE, writeLargeRun} from './large_run.mjs';
import {browse} from './people.mjs';

const LIMITS = {first_paint_ms: 200, first_rows_ms: 300, resident_mib: 512};
const BROWSING_MS = 30_000;
const count = Number(process.argv[2] ?? 1_000_000);
const rounded = (number) => Math.round(number * 10) / 10;
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const share = (values, part) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)];
const timed = async (work) => {
  const begun = performance.now();
  await work();
  return rounded(performance.now() - begun);
};
const resident = (pid, name) =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

// What a plain program needs to go through the same file.
function peers(file) {
  const run = (program, args) => {
    const begun = performance.now();
    try {
      execFileSync(program, args, {stdio: 'ignore'});
    } catch {
      /* found nothing */
    }
    return rounded(performance.now() - begun);
  };
  run('cat', [file]);
  return {
    cat_ms: run('cat', [file]),
    grep_fixed_ms: run('grep', ['-c', '-F', RARE, file]),
    grep_any_case_ms: run('grep', ['-c', '-i', '-F', RARE, file]),
  };
}

// Runs in the page: when it painted something first, and when its own heading stood there.
async function whenSeen() {
  const paint = new Promise((done) => {
    new PerformanceObserver((entries, watch) => {
      const first = entries.getEntriesByName('first-contentful-paint')[0];
      if (!first) return;
      watch.disconnect();
      done(first.startTime);
    }).observe({type: 'paint', buffered: true});
  });
  while (!document.querySelector('main h1')) await new Promise(requestAnimationFrame);
  return {heading: performance.now(), paint: await paint};
}

// From what somebody does to the first rows that show it, in the browser's own time.
function firstRows(page, act, argument) {
  return page.evaluate(
    async ([body, given]) => {
      const list = document.querySelector('.list-box');
      const changed = new Promise((done, fail) => {
        setTimeout(() => fail(new Error('no rows within a minute')), 60_000);
        new MutationObserver((_, watch) => {
          if (!list.querySelector('.list-row a') || list.querySelector('.list-row .state')) return;
          watch.disconnect();
          requestAnimationFrame(() => setTimeout(() => done(performance.now())));
        }).observe(list, {
          childList: true,
          subtree: true,
          characterData: true,
          attributes: true,
          attributeFilter: ['href'],
        });
      });
      const begun = performance.now();
      new Function('given', body)(given);
      return (await changed) - begun;
    },
    [act, argument],
  );
}
const CHECK = `[...document.querySelectorAll('.facet')]
  .find((one) => one.textContent.includes(given)).querySelector('input').click();`;
const TYPE = `const field = document.querySelector('.search input'); field.value = given;
  field.dispatchEvent(new Event('input', {bubbles: true}));`;

const say = (what) => console.error(`${rounded(performance.now() / 1000)} s: ${what}`);
const out = {trials: count, limits: LIMITS, first_paint_ms: {}, heading_ms: {}, first_rows_ms: {}};
const fleet = await startFleet({simulate: ['--judge-malformed', '0.02']});
try {
  const small = (await finished(fleet, runFile({name: 'nightly-qa'}))).run_id;
  const second = (await finished(fleet, runFile({name: 'nightly-qa', models: ['other-model']}))).run_id;
  const group = (await finished(fleet, runFile({name: 'choice', models: ['small', 'large'], repeats: 1}))).group_id;
  const large = small.slice(0, -4) + '0000';
  const at = (id) => join(fleet.folder, 'store/runs', id);
  await fleet.killCoordinator();
  writeLargeRun(at(small), at(large), {oldId: small, id: large, count});
  rmSync(join(at(large), 'work/trials.table'), {force: true});
  await fleet.restartCoordinator();
  say('records written');
  out.records_mib = Math.round(statSync(join(at(large), 'records.jsonl')).size / 1048576);
  out.peers = peers(join(at(large), 'records.jsonl'));

  const list = `/runs/${large}/trials?limit=100&facets=true`;
  out.first_look_ms = await timed(() => fleet.call('GET', list));
  await until('the table', () => existsSync(join(at(large), 'work/trials.table')));
  await fleet.killCoordinator();
  await fleet.restartCoordinator();
  out.look_after_restart_ms = await timed(() => fleet.call('GET', list));
  out.look_again_ms = await timed(() => fleet.call('GET', list));
  const before = resident(fleet.coordinatorPid(), 'VmRSS');

  say(JSON.stringify(out));
  const {page, close} = await openBrowser(fleet.url);
  await signIn(page, 'admin');
  const pages = [
    '/runs',
    `/runs/${large}`,
    `/runs/${large}/samples`,
    `/runs/${large}/samples/5`,
    `/compare?base=${small}&candidate=${second}`,
    '/groups',
    `/groups/${group}`,
    '/trends?name=nightly-qa',
    '/fleet',
    '/submit',
    '/runbooks',
  ];
  for (const path of pages) {
    const seen = [];
    for (let i = 0; i < 5; ++i) {
      await page.goto(path);
      seen.push(await page.evaluate(whenSeen));
    }
    const name = path.replaceAll(large, 'LARGE').replace(/\?.*/, '').replace(group, 'GROUP');
    out.first_paint_ms[name] = rounded(median(seen.map((one) => one.paint)));
    out.heading_ms[name] = rounded(median(seen.map((one) => one.heading)));
  }
  const samples = async (query = '') => {
    await page.goto(`/runs/${large}/samples${query}`);
    await page.locator('.list-row a').first().waitFor();
  };
  for (const [name, act, given] of [
    ['filter: failed', CHECK, 'failed'],
    ['filter: label', CHECK, 'incorrect answer'],
    ['search: common word', TYPE, 'harbour'],
    ['search: phrase', TYPE, PHRASE],
    ['search: rare word', TYPE, RARE],
  ]) {
    say(name);
    const times = [];
    for (let i = 0; i < (given === RARE ? 1 : 5); ++i) {
      await samples();
      times.push(await firstRows(page, act, given));
    }
    out.first_rows_ms[name] = rounded(median(times));
  }
  await close();

  const end = Date.now() + BROWSING_MS;
  const people = await browse({
    url: fleet.url,
    token: TOKENS.admin,
    runs: [large, small, second],
    until: () => Date.now() > end,
  });
  out.ten_people = {
    calls: people.times.length,
    failures: people.failures,
    p50_ms: rounded(share(people.times, 0.5)),
    p99_ms: rounded(share(people.times, 0.99)),
    max_ms: rounded(Math.max(...people.times)),
    resident_before_mib: Math.round(before),
    resident_after_mib: Math.round(resident(fleet.coordinatorPid(), 'VmRSS')),
    resident_peak_mib: Math.round(resident(fleet.coordinatorPid(), 'VmHWM')),
  };

  const rare = out.first_rows_ms['search: rare word'];
  const rows = Object.entries(out.first_rows_ms)
    .filter(([name]) => name !== 'search: rare word')
    .map(([, ms]) => ms);
  out.kept =
    Math.max(...Object.values(out.first_paint_ms)) < LIMITS.first_paint_ms &&
    Math.max(...rows) < LIMITS.first_rows_ms &&
    out.ten_people.resident_peak_mib < LIMITS.resident_mib &&
    people.failures === 0 &&
    rare > 0;
} finally {
  await fleet.stop();
}
console.log(JSON.stringify(out, null, 2));
process.exitCode = out.kept ? 0 : 1;
