// Every rendered object fits its Kubernetes, KEDA, Gateway or Prometheus operator type: values and formats by the generated validators,
// unknown and missing fields by the TypeScript compiler. What is Kubernetes' own fits the types of several of its versions.
import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {merged, render, renderAll, run, values} from './support/helm.mjs';
import {load, tools} from './support/places.mjs';

const packages = {
    'keda.sh': '@kubernetes-models/keda', 'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
    'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
};
// 1.27 is the oldest that the chart supports; before 1.34 a CronJob's template got no defaults when it was checked.
const olderKubernetes = ['kubernetes-models-1.27', 'kubernetes-models-1.33'];
const packageOf = (object) => packages[object.apiVersion.split('/')[0]] ?? 'kubernetes-models';

const rendered = await renderAll();
// The same object in several scenarios is checked once.
const objects = [...new Map([...rendered].flatMap(([scenario, list]) =>
    list.map((object) => [JSON.stringify(object), {scenario, object}]))).values()];

async function faultOf(object, from = packageOf(object)) {
    const module = await load(`${from}/${object.apiVersion}/${object.kind}.js`);
    const model = module[object.kind] ?? module.default[object.kind];
    try {
        new model(object).validate();
        return undefined;
    } catch (error) {
        return error.message;
    }
}

// Within the tools' folder, where the compiler finds their types.
const folder = mkdtempSync(join(tools, 'check-'));
after(() => rmSync(folder, {recursive: true, force: true}));

/** What the compiler says about objects written down as literals of their types. */
async function compile(name, list, from = packageOf) {
    const lines = list.map((object, index) => {
        const type = `import("${from(object)}/${object.apiVersion}/${object.kind}").I${object.kind}`;
        return `export const o${index}: ${type} = ${JSON.stringify(object)};\n`;
    });
    const file = join(folder, `${name}.ts`);
    writeFileSync(file, lines.join(''));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022'];
    return run(process.execPath, [join(tools, 'node_modules/typescript/bin/tsc'), ...options, file]);
}

const example = (kind) => structuredClone(objects.find(({object}) => object.kind === kind).object);

test('every rendered object is valid', async () => {
    assert.ok(objects.length > 80, `only ${objects.length} objects`);
    const faults = [];
    for (const {scenario, object} of objects) {
        const fault = await faultOf(object);
        if (fault) faults.push(`${scenario}: ${object.kind} ${object.metadata.name}: ${fault}`);
    }
    assert.deepEqual(faults, []);
});

test('every rendered object has only fields that its type has, and all that it needs', async () => {
    const {code, stdout} = await compile('rendered', objects.map(({object}) => object));
    assert.equal(code, 0, stdout.slice(0, 4000));
});

/** Their schemas want both halves of a rule, of which their API servers take exactly one. */
function withWholeRules(object) {
    const copy = structuredClone(object);
    for (const rule of copy.spec?.jobTemplate?.spec?.podFailurePolicy?.rules ?? []) rule.onPodConditions ??= [];
    return copy;
}

for (const version of olderKubernetes) {
    test(`every rendered object of Kubernetes' own fits ${version}`, async () => {
        const own = objects.filter(({object}) => packageOf(object) === 'kubernetes-models')
            .map(({scenario, object}) => ({scenario, object: withWholeRules(object)}));
        assert.ok(own.length > 60, `only ${own.length} objects`);
        const faults = [];
        for (const {scenario, object} of own) {
            const fault = await faultOf(object, version);
            if (fault) faults.push(`${scenario}: ${object.kind} ${object.metadata.name}: ${fault}`);
        }
        assert.deepEqual(faults, []);
        const {code, stdout} = await compile(version, own.map(({object}) => object), () => version);
        assert.equal(code, 0, stdout.slice(0, 4000));
    });

    test(`a field that ${version} needs would be missed`, async () => {
        const wrong = withWholeRules(example('CronJob'));
        delete wrong.spec.jobTemplate.spec.podFailurePolicy.rules[1].onPodConditions[0].status;
        assert.match(await faultOf(wrong, version), /status/);
    });
}

test('a wrong value, a misspelt field and a missing one would be noticed', async () => {
    const wrong = example('Deployment');
    wrong.spec.replicas = 'two';
    assert.match(await faultOf(wrong), /replicas/);

    const misspelt = example('Deployment');
    misspelt.spec.template.spec.containers[0].redinessProbe = {};
    const missing = example('CronJob');
    delete missing.spec.schedule;
    const unknown = example('ScaledObject');
    unknown.spec.triggers[0].metdata = {};
    const {code, stdout} = await compile('wrong', [misspelt, missing, unknown]);
    assert.notEqual(code, 0);
    assert.match(stdout, /redinessProbe/);
    assert.match(stdout, /schedule/);
    assert.match(stdout, /metdata/);
});

test('names that look like numbers or truth values stay texts', async () => {
    const changed = await render(merged(values('production'), {
        fullnameOverride: '1e3', pool: '1e3', commonLabels: {a: 'true', b: '12'}, auth: {existingSecret: '12', key: '0x1f'}, tls: {existingSecret: '13', caKey: '1e3'},
        redis: {existingSecret: '14', passwordKey: '1_000', tls: {existingSecret: '15', caKey: '2', certKey: '3', keyKey: '4'}},
        providers: {main: {apiKeyId: '17', apiKey: {existingSecret: '16', key: 'null'}}},
        serviceAccount: {name: '0755'},
        coordinator: {retention: '7', priorityClassName: '1', persistence: {storageClassName: 'true', size: '5'}, datasets: {existingClaim: '9', subPath: '8'},
                      ingress: {className: 'yes', tlsSecret: '1.5', hosts: ['12']}, podAnnotations: {a: 'false'}},
        worker: {autoscaling: {keda: {tokenSecret: '7', tokenKey: '1e1'}}},
        nightly: {tokenSecret: '6', tokenKey: 'off'}, nightlyRuns: {1: {files: {'run.yaml': '1'}}},
    }));
    for (const object of changed) assert.equal(await faultOf(object), undefined, `${object.kind} ${object.metadata.name}`);
    const {code, stdout} = await compile('ambiguous', changed);
    assert.equal(code, 0, stdout.slice(0, 4000));
});
