// Runs helm: 3 and 4 from the tools, and the one on PATH if there is one.
import {execFile} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {chart, load, tools} from './places.mjs';

const yaml = (await load('yaml/dist/index.js')).default;

// Helm keeps settings and caches; each test program has its own.
const home = mkdtempSync(join(tmpdir(), 'evalfleet-chart-'));
process.on('exit', () => rmSync(home, {recursive: true, force: true}));
const environment = {
    PATH: process.env.PATH, HOME: home,
    HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home,
};

function run(program, args, input) {
    return new Promise((done) => {
        const child = execFile(program, args, {env: environment, maxBuffer: 64 << 20, timeout: 60_000},
            (error, stdout, stderr) => done({code: error ? error.code ?? 1 : 0, stdout, stderr}));
        child.stdin.on('error', () => {});  // a program that ends early does not read it
        child.stdin.end(input ?? '');
    });
}

/** At most four at once: the machine has other tests to run. */
let free = 4;
const waiting = [];
async function runInTurn(...call) {
    if (free > 0) --free;
    else await new Promise((go) => waiting.push(go));
    const result = await run(...call);
    if (waiting.length > 0) waiting.shift()();
    else ++free;
    return result;
}

export const helm3 = join(tools, 'helm3');
export const helm4 = join(tools, 'helm4');
const onPath = (await run('helm', ['version', '--short'])).code === 0 ? ['helm'] : [];
export const helms = [helm3, helm4, ...onPath];

export const scenarios = readdirSync(join(chart, 'ci')).filter((file) => file.endsWith('-values.yaml')).sort();
export const scenarioFile = (scenario) => join(chart, 'ci', scenario);

/** A scenario's values by its short name: values('minimal'). */
export function values(scenario) {
    return yaml.parse(readFileSync(scenarioFile(`${scenario}-values.yaml`), 'utf8'));
}

/** `changes` put over `base`, maps merged; null takes away, as helm does. */
export function merged(base, changes) {
    const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
    if (!isMap(base) || !isMap(changes)) return changes;
    const result = {...base};
    for (const [key, value] of Object.entries(changes))
        result[key] = key in base ? merged(base[key], value) : value;
    return result;
}

export function lint(helm, scenario) {
    return runInTurn(helm, ['lint', '--strict', chart, '--values', scenarioFile(scenario)]);
}

/** `helm template` with values as an object; the result of the program as it is. */
export function template(given, {helm = helm3, args = [], release = 'r', folder = chart} = {}) {
    return runInTurn(helm, ['template', release, folder, '--namespace', 'ns', '--values', '-', ...args], JSON.stringify(given));
}

/** Runs helm with any arguments. */
export const helmDoes = (helm, ...args) => runInTurn(helm, args);

/** What `helm install` would tell at the end. Helm 3 wants a cluster even to only try, so: helm 4. */
export async function notes(given) {
    const {code, stdout, stderr} = await runInTurn(helm4,
        ['install', 'r', chart, '--namespace', 'ns', '--dry-run=client', '--values', '-'], JSON.stringify(given));
    if (code !== 0) throw new Error(stderr);
    return stdout.slice(stdout.indexOf('\nNOTES:'));
}

/** The rendered objects; throws with helm's message when it refuses. */
export async function render(given, options) {
    const {code, stdout, stderr} = await template(given, options);
    if (code !== 0) throw new Error(stderr);
    return parse(stdout);
}

export function parse(text) {
    return yaml.parseAllDocuments(text)
        .map((document) => {
            if (document.errors.length > 0) throw document.errors[0];
            return document.toJS();
        })
        .filter((object) => object !== null && object !== undefined);
}

/** What helm says about values that it must refuse. */
export async function refusal(given, options) {
    const {code, stderr} = await template(given, options);
    return code === 0 ? '' : stderr;
}

/** The rendered objects of all scenarios, by scenario. */
export async function renderAll(options) {
    const rendered = await Promise.all(scenarios.map(async (scenario) =>
        [scenario, await render(values(scenario.replace(/-values\.yaml$/, '')), options)]));
    return new Map(rendered);
}

export {run, yaml};
