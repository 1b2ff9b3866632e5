// Where things are: the pages, the programs that were built, the tools of npm.
import {existsSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const pages = join(root, 'coordinator/web/pages');
export const bin = process.env.EVALFLEET_BIN_DIR ?? join(root, 'build/release/bin');
export const tools = process.env.EVALFLEET_BROWSER_TOOLS ?? join(root, 'build/browser-tools');

/** A module of the pages. */
export const load = (path) => import(pathToFileURL(join(pages, path)));

/** A package of npm, or an error that says how to get it. */
export function fromTools(name) {
  if (!existsSync(join(tools, 'node_modules'))) throw new Error(`${tools} is missing: make browser-tools`);
  return createRequire(join(tools, 'package.json'))(name);
}

export const toolFile = (path) => join(tools, 'node_modules', path);
