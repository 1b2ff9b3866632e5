// Sign-in: tokens, deep links, roles, sign-out; addresses that lead nowhere.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {assertAccessible, signIn} from './support/browser.mjs';
import {runFile, TOKENS} from './support/fleet.mjs';
import {finished, scene} from './support/scene.mjs';

const at = scene({prepare: (fleet) => finished(fleet, runFile({name: 'first', repeats: 1}))});

test('a deep link leads to sign-in, a wrong token is told, the right one leads on', async () => {
  const {page, made} = at;
  await page.goto(`/runs/${made.run_id}?x=1`);
  await page.waitForURL(/\/login\?next=/);
  await page.getByLabel('Token').fill('wrong');
  await page.getByRole('button', {name: 'Sign in'}).click();
  await page.getByRole('alert').getByText('This token is not known').waitFor();
  await assertAccessible(page, 'sign-in with an error');
  await page.getByLabel('Token').fill(TOKENS.reader);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/runs/${made.run_id}\\?x=1$`));
  await page.getByRole('heading', {level: 1, name: 'first'}).waitFor();
});

test('a reader sees who they are and no button that changes anything', async () => {
  const {page} = at;
  await page.getByRole('banner').getByText('reader').first().waitFor();
  assert.equal(await page.getByRole('button', {name: 'Delete'}).count(), 0);
  assert.equal(await page.getByRole('button', {name: 'Retry'}).count(), 0);
});

test('the cookie is out of reach of scripts, and the token is nowhere in the browser', async () => {
  const {page} = at;
  const kept = await page.evaluate(() => JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}]));
  assert.equal(kept, '["",{},{}]');
  const [cookie] = await page.context().cookies();
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, 'Strict', '/']);
});

test('writes with the cookie need the token against forged requests', async () => {
  const {page, made} = at;
  const status = await page.evaluate(
    async (id) => (await fetch(`/api/v1/runs/${id}/retry`, {method: 'POST'})).status,
    made.run_id,
  );
  assert.equal(status, 403);
});

test('signing out ends the session for good', async () => {
  const {page} = at;
  const before = await page.context().cookies();
  await page.getByRole('button', {name: 'Sign out'}).click();
  await page.waitForURL(/\/login/);
  await page.context().addCookies(before);
  await page.goto('/runs');
  await page.waitForURL(/\/login/);
});

test('an address that leads nowhere is a page', async () => {
  const {page} = at;
  const reply = await page.goto('/nowhere/at/all');
  assert.equal(reply.status(), 404);
  assert.match(reply.headers()['content-type'], /text\/html/);
  await page.getByRole('heading', {level: 1}).waitFor();
  await assertAccessible(page, 'not found');
});

test('deleting asks first, and an administrator may', async () => {
  const {page, made, fleet} = at;
  const {run_id: id} = await finished(fleet, runFile({name: 'to-delete', repeats: 1}));
  await signIn(page, 'admin', `/runs/${id}`);
  await page.getByRole('button', {name: 'Delete'}).click();
  await page.getByRole('dialog').getByRole('button', {name: 'Back'}).click();
  assert.equal((await fleet.call('GET', `/runs/${id}`)).state, 'done');
  await page.getByRole('button', {name: 'Delete'}).click();
  await assertAccessible(page, 'dialog');
  await page.getByRole('dialog').getByRole('button', {name: 'Delete for good'}).click();
  await page.waitForURL(/\/runs$/);
  await page.getByRole('link', {name: 'first'}).waitFor();
  assert.equal(await page.getByRole('link', {name: 'to-delete'}).count(), 0);
  assert.ok(made.run_id);
});

test('no error, no request to elsewhere, no breach of the policy happened', () => assert.deepEqual(at.faults, []));
