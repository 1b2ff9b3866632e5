// A fleet and a browser for all tests of one file: started before them, ended after them.
import {after, before} from 'node:test';

import {openBrowser} from './browser.mjs';
import {startFleet} from './fleet.mjs';

/** scene.fleet, scene.page, scene.faults; `prepare(fleet)` may submit runs, what it gives is scene.made. */
export function scene({fleet: fleetOptions, browser: browserOptions, prepare = async () => null} = {}) {
  const out = {};
  before(async () => {
    out.fleet = await startFleet(fleetOptions);
    out.made = await prepare(out.fleet);
    Object.assign(out, await openBrowser(out.fleet.url, browserOptions));
  }, {timeout: 600_000});
  after(async () => {
    await out.close?.();
    await out.fleet?.stop();
  }, {timeout: 120_000});
  return out;
}

/** Submits a run and waits for its end. */
export async function finished(fleet, file) {
  const made = await fleet.submit(file);
  for (const id of made.run_ids) await fleet.ended(id);
  return made;
}
