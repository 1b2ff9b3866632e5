// Debian's Chromium without a window, and what tests ask of its pages.
import assert from 'node:assert/strict';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {extname, join} from 'node:path';

import {TOKENS} from './fleet.mjs';
import {fromTools, pages, toolFile} from './places.mjs';

const {chromium} = fromTools('playwright-core');
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--force-color-profile=srgb',
];
const LIMIT_MS = 60_000;

/** A browser with a new profile; gives {page, close, faults}: faults are errors of pages and requests to elsewhere. */
export async function openBrowser(url, {width = 1400, height = 900, dark = false} = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'evalfleet-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.EVALFLEET_CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: FLAGS,
    viewport: {width, height},
    colorScheme: dark ? 'dark' : 'light',
    baseURL: url,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-US',
    bypassCSP: false,
  });
  context.setDefaultTimeout(LIMIT_MS);
  const faults = [];
  const page = context.pages()[0] ?? (await context.newPage());
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
      faults.push(`request to ${request.url()}`);
  });
  if (process.env.EVALFLEET_PAGES_FROM_SOURCE) await page.route('**/assets/**', fromSource);
  return {
    page,
    faults,
    async close() {
      await context.close();
      rmSync(profile, {recursive: true, force: true});
    },
  };
}

// For work on the pages: as they are in the source, not as they were when the coordinator was built.
const TYPES = {'.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml'};
const allStyles = () =>
  [...readFileSync(join(pages, 'index.html'), 'utf8').matchAll(/rel="stylesheet" href="__ASSETS__\/([^"]+)"/g)]
    .map(([, name]) => readFileSync(join(pages, name), 'utf8'))
    .join('\n');
function fromSource(route) {
  const name = new URL(route.request().url()).pathname.split('/').slice(3).join('/');
  if (name === 'all.css') return route.fulfill({body: allStyles(), contentType: TYPES['.css']});
  const file = join(pages, name);
  return existsSync(file)
    ? route.fulfill({body: readFileSync(file), contentType: TYPES[extname(file)]})
    : route.continue();
}

export async function signIn(page, role = 'admin', next = '/runs') {
  await page.goto(`/login?next=${encodeURIComponent(next)}`);
  await page.getByLabel('Token').fill(TOKENS[role]);
  await page.getByRole('button', {name: 'Sign in'}).click();
  await page.waitForURL((at) => at.pathname !== '/login');
}

const axe = readFileSync(toolFile('axe-core/axe.min.js'), 'utf8');

/** Fails with what axe-core found wrong on the page. Its script comes past the policy of the page by the debugger. */
export async function assertAccessible(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, {resultTypes: ['violations']}));
  const told = found.violations.map(
    (one) =>
      `${one.id} (${one.help}): ${one.nodes
        .slice(0, 4)
        .map((node) => `${node.target} ${node.failureSummary}`)
        .join(' | ')}`,
  );
  assert.deepEqual(told, [], `axe-core on ${where}`);
}

/** Fails if the page is wider than the window. */
export async function assertFits(page, where) {
  const [inner, wide] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
  assert.ok(wide <= inner, `${where} is ${wide} px wide in a window of ${inner} px`);
}
