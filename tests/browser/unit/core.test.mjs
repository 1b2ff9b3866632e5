// Formatting, addresses, routes and waiting times of the web pages.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {load} from '../support/places.mjs';

const format = await load('core/format.js');
const {readState, writeState, queryOf, safeNext} = await load('core/url_state.js');
const {matchRoute, pathOf} = await load('core/routes.js');
const {delayAfter} = await load('core/backoff.js');

test('an unknown figure is a dash in every unit', () => {
  for (const show of [
    'count',
    'percent',
    'score',
    'milliseconds',
    'duration',
    'usd',
    'bytes',
    'rate',
    'change',
    'pValue',
  ]) {
    for (const unknown of [null, undefined, NaN, 'x']) assert.equal(format[show](unknown), format.UNKNOWN, show);
  }
  assert.equal(format.time(null), format.UNKNOWN);
  assert.equal(format.ago('no time'), format.UNKNOWN);
});

test('a share that is nearly all or nearly nothing does not read as all or nothing', () => {
  assert.equal(format.percent(1), '100.0 %');
  assert.equal(format.percent(0.99999), '>99.9 %');
  assert.equal(format.percent(0), '0.0 %');
  assert.equal(format.percent(0.00001), '<0.1 %');
  assert.equal(format.percent(0.9166), '91.7 %');
});

test('durations and latencies choose their unit', () => {
  assert.equal(format.milliseconds(0.123), '0.12 ms');
  assert.equal(format.milliseconds(340.4), '340 ms');
  assert.equal(format.milliseconds(1240), '1.24 s');
  assert.equal(format.duration(3.14), '3.1 s');
  assert.equal(format.duration(61), '1 min 1 s');
  assert.equal(format.duration(7260), '2 h 1 min');
  assert.equal(format.bytes(1536), '1.5 KiB');
});

test('costs keep small amounts visible, differences their sign', () => {
  assert.equal(format.usd(0), '$0');
  assert.equal(format.usd(0.00123), '$0.0012');
  assert.equal(format.usd(1234.5), '$1,234.50');
  assert.equal(format.change(-0.0125), '−0.013');
  assert.equal(format.change(0.05, 'ratio'), '+5.0 %');
  assert.equal(format.pValue(0.0001), '<0.001');
});

test('times are UTC, and ages are told in the largest unit', () => {
  assert.equal(format.time('2026-11-16T02:00:59.123Z'), '2026-11-16 02:00');
  const now = Date.parse('2026-11-16T02:00:00Z');
  assert.equal(format.ago('2026-11-16T01:59:30Z', now), 'just now');
  assert.equal(format.ago('2026-11-16T01:30:00Z', now), '30 min ago');
  assert.equal(format.ago('2026-11-14T02:00:00Z', now), '2 d ago');
});

const DEFAULTS = {q: '', only: false, limit: 50, tag: [], sort: 'index'};

test('state survives the way into an address and back', () => {
  const state = {q: 'a&b=c ü', only: true, limit: 10, tag: ['topic:x', 'y:z'], sort: 'cost'};
  assert.deepEqual(readState(writeState(state, DEFAULTS), DEFAULTS), state);
});

test('what is as by default is not in the address', () => {
  assert.equal(writeState({...DEFAULTS}, DEFAULTS), '');
  assert.deepEqual(readState('?unknown=1&limit=abc', DEFAULTS), DEFAULTS);
});

test('a query leaves out what is not set', () => {
  assert.equal(
    queryOf({a: 1, b: '', c: null, d: undefined, e: false, f: true, g: ['x', '', 'y'], h: 0}),
    '?a=1&f=true&g=x&g=y&h=0',
  );
  assert.equal(queryOf({}), '');
});

test('sign-in leads only to pages of this site', () => {
  assert.equal(safeNext('/runs/a?x=1#y'), '/runs/a?x=1#y');
  for (const bad of [
    null,
    '',
    'runs',
    '//evil.example/x',
    'https://evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '\t//evil.example',
  ]) {
    assert.equal(safeNext(bad), '/runs', String(bad));
  }
});

test('routes give decoded parts, and nothing for paths that do not fit', () => {
  const routes = [{pattern: '/runs'}, {pattern: '/runs/:id'}, {pattern: '/runs/:id/samples/:index'}];
  assert.deepEqual(matchRoute(routes, '/runs/').params, {});
  assert.deepEqual(matchRoute(routes, '/runs/a%20b').params, {id: 'a b'});
  assert.deepEqual(matchRoute(routes, pathOf('runs', 'x/y', 'samples', 7)).params, {id: 'x/y', index: '7'});
  assert.equal(matchRoute(routes, '/runs/%E0%A4%A'), null);
  assert.equal(matchRoute(routes, '/nowhere'), null);
});

test('waiting times double up to ten seconds and are spread', () => {
  assert.equal(delayAfter(0, 0), 250);
  assert.equal(delayAfter(3, 1), 4000);
  assert.equal(delayAfter(50, 1), 10_000);
});
