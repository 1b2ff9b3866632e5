// Every scenario of ci/ passes lint, renders, and renders to the same bytes again, with every helm.
import assert from 'node:assert/strict';
import {cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {after, test} from 'node:test';

import {helm3, helm4, helmDoes, helms, lint, notes, parse, scenarios, template, values} from './support/helm.mjs';
import {component} from './support/objects.mjs';
import {chart} from './support/places.mjs';

const folder = mkdtempSync(join(tmpdir(), 'evalfleet-chart-render-'));
after(() => rmSync(folder, {recursive: true, force: true}));

const short = (scenario) => scenario.replace(/-values\.yaml$/, '');
const again = (helm, scenario) => template(values(short(scenario)), {helm});

const renderings = new Map();
/** A scenario rendered by a helm, once for all tests. */
function once(helm, scenario) {
    const key = `${helm} ${scenario}`;
    if (!renderings.has(key)) renderings.set(key, again(helm, scenario));
    return renderings.get(key);
}

for (const helm of helms) {
    for (const scenario of scenarios) {
        test(`${basename(helm)}: ${scenario} passes lint --strict`, async () => {
            const {code, stdout, stderr} = await lint(helm, scenario);
            assert.equal(code, 0, stdout + stderr);
            // Lint does not stop at what the chart itself refuses: it notes it.
            assert.doesNotMatch(stdout + stderr, /cannot work/);
        });

        test(`${basename(helm)}: ${scenario} renders to the same bytes twice`, async () => {
            const [first, second] = await Promise.all([once(helm, scenario), again(helm, scenario)]);
            assert.equal(first.code, 0, first.stderr);
            assert.ok(parse(first.stdout).length > 3);
            assert.equal(first.stdout, second.stdout);
        });
    }
}

for (const scenario of scenarios) {
    test(`${scenario}: helm 3 and helm 4 render the same objects`, async () => {
        const [three, four] = await Promise.all([once(helm3, scenario), once(helm4, scenario)]);
        const sorted = (text) => parse(text).map((object) => JSON.stringify(object)).sort();
        assert.deepEqual(sorted(three.stdout), sorted(four.stdout));
    });
}

for (const version of ['1.27.0', '1.30.0', '1.33.1-gke.100', '1.36.0']) {
    test(`renders for Kubernetes ${version}`, async () => {
        const {code, stderr} = await template(values('production'), {args: ['--kube-version', version]});
        assert.equal(code, 0, stderr);
    });
}

test('refuses a Kubernetes that is too old', async () => {
    const {code, stderr} = await template(values('minimal'), {args: ['--kube-version', '1.26.9']});
    assert.notEqual(code, 0);
    assert.match(stderr, /requires kubeVersion/);
});

test('no object has a name of more than 63 characters, or the name of another of its kind', async () => {
    for (const scenario of scenarios) {
        const objects = parse((await template(values(short(scenario)), {release: 'a-release-name-of-fifty-three-characters-the-maximum1'})).stdout);
        const names = objects.map((object) => `${object.kind}/${object.metadata.name}`);
        assert.deepEqual(names.filter((name) => name.split('/')[1].length > 63), []);
        assert.equal(new Set(names).size, names.length, names.join('\n'));
        for (const object of objects.filter(({kind}) => kind === 'CronJob' || kind === 'StatefulSet'))
            assert.ok(object.metadata.name.length <= 52, object.metadata.name);
    }
});

test('the notes name the parts, the way to a first run, and what is unsafe', async () => {
    const production = await notes(values('production'));
    assert.match(production, /r-evalfleet-worker-spot, 0 to 10 pods by keda, 128 trials at once each/);
    assert.match(production, /r-evalfleet-run-qa, 0 2 \* \* \* \(Europe\/Oslo\)/);
    assert.match(production, /helm test r --namespace ns/);
    assert.match(production, /evalfleet submit RUN\.yaml --wait/);
    assert.doesNotMatch(production, /WARNING/);
    const development = await notes(values('development'));
    assert.match(development, /WARNING: devRedis is for development/);
    assert.match(development, /WARNING: coordinator\.persistence\.enabled=false: all runs are lost with the pod/);
    assert.match(await notes(values('workers-only')), /workers      r-evalfleet-worker-default, 8 pods/);
});

for (const helm of [helm3, helm4]) {
    test(`${basename(helm)}: a packaged chart has everything it renders, and no examples`, async () => {
        const place = join(folder, basename(helm));
        const {code, stderr} = await helmDoes(helm, 'package', chart, '--destination', place);
        assert.equal(code, 0, stderr);
        const {version} = parse((await helmDoes(helm, 'show', 'chart', chart)).stdout)[0];
        const packed = await template(values('production'), {helm, folder: join(place, `evalfleet-${version}.tgz`)});
        assert.equal(packed.stdout, (await template(values('production'), {helm})).stdout);
    });
}

test('works as part of another chart, with its global registry', async () => {
    const parent = join(folder, 'parent');
    mkdirSync(join(parent, 'charts'), {recursive: true});
    cpSync(chart, join(parent, 'charts/evalfleet'), {recursive: true});
    writeFileSync(join(parent, 'Chart.yaml'), 'apiVersion: v2\nname: parent\nversion: 1.0.0\n');
    for (const helm of [helm3, helm4]) {
        const {code, stdout, stderr} = await template({global: {imageRegistry: 'mirror', other: 1}, evalfleet: values('minimal')}, {helm, folder: parent});
        assert.equal(code, 0, stderr);
        assert.match(component(parse(stdout), 'worker')[0].spec.containers[0].image, /^mirror\/evalfleet:/);
    }
});
