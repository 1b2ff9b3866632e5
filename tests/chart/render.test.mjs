// Every scenario of ci/ passes lint, renders, and renders to the same bytes again, with every helm.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {basename} from 'node:path';

import {helm3, helm4, helms, lint, notes, parse, scenarios, template, values} from './support/helm.mjs';

const short = (scenario) => scenario.replace(/-values\.yaml$/, '');

for (const helm of helms) {
    for (const scenario of scenarios) {
        test(`${basename(helm)}: ${scenario} passes lint --strict`, async () => {
            const {code, stdout, stderr} = await lint(helm, scenario);
            assert.equal(code, 0, stdout + stderr);
            // Lint does not stop at what the chart itself refuses: it notes it.
            assert.doesNotMatch(stdout + stderr, /cannot work/);
        });

        test(`${basename(helm)}: ${scenario} renders to the same bytes twice`, async () => {
            const [first, second] = await Promise.all([
                template(values(short(scenario)), {helm}), template(values(short(scenario)), {helm})]);
            assert.equal(first.code, 0, first.stderr);
            assert.ok(parse(first.stdout).length > 3);
            assert.equal(first.stdout, second.stdout);
        });
    }
}

for (const scenario of scenarios) {
    test(`${scenario}: helm 3 and helm 4 render the same objects`, async () => {
        const [three, four] = await Promise.all([
            template(values(short(scenario)), {helm: helm3}), template(values(short(scenario)), {helm: helm4})]);
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
