// Labels and selectors, probes, draining, rolling out, volumes, images.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {merged, render, renderAll, values, yaml} from './support/helm.mjs';
import {
    component, containersOf, kinds, matches, one, ownContainersOf, podOf, podsOf, secretsOf, variable,
} from './support/objects.mjs';

const rendered = await renderAll();
const everything = [...rendered.values()].flat();
const production = rendered.get('production-values.yaml');

const selectorKeys = ['app.kubernetes.io/component', 'app.kubernetes.io/instance', 'app.kubernetes.io/name'];

test('every object of ours has the recommended labels', () => {
    for (const object of everything.filter(({metadata}) => metadata.name !== 'r-more')) {
        const labels = object.metadata.labels;
        for (const key of [...selectorKeys, 'app.kubernetes.io/version', 'app.kubernetes.io/managed-by', 'app.kubernetes.io/part-of', 'helm.sh/chart'])
            assert.ok(labels[key], `${object.kind}/${object.metadata.name}: ${key}`);
    }
});

test('selectors hold only what never changes', () => {
    for (const object of everything.filter(({kind}) => kind === 'Deployment' || kind === 'StatefulSet')) {
        const keys = Object.keys(object.spec.selector.matchLabels).filter((key) => key !== 'evalfleet/pool');
        assert.deepEqual(keys.sort(), selectorKeys);
    }
});

test('selectors stay the same when labels, image, chart values and replicas change', async () => {
    const changed = await render(merged(values('production'), {
        commonLabels: {team: 'x'}, image: {digest: '', tag: '2'}, worker: {replicas: 9, podLabels: {a: 'b'}}, coordinator: {podLabels: {c: 'd'}},
    }));
    const selectors = (objects) => objects.filter((object) => object.spec?.selector)
        .map((object) => [object.kind, object.metadata.name, object.spec.selector]);
    assert.deepEqual(selectors(changed), selectors(production));
});

test('every selector finds the pods it is meant for, and no others', () => {
    for (const [scenario, objects] of rendered) {
        for (const object of objects.filter(({kind}) => ['Deployment', 'StatefulSet', 'Service', 'PodDisruptionBudget', 'PodMonitor'].includes(kind))) {
            const selector = object.spec.selector.matchLabels ?? object.spec.selector;
            const found = podsOf(objects).filter((pod) => matches(selector, pod.metadata.labels));
            assert.ok(found.length > 0, `${scenario}: ${object.kind}/${object.metadata.name} finds nobody`);
            assert.equal(new Set(found.map((pod) => pod.component)).size, 1, `${scenario}: ${object.kind}/${object.metadata.name}`);
            if (podOf(object)) assert.equal(found.length, 1, `${scenario}: ${object.metadata.name} finds another's pods`);
        }
    }
});

test('a change of the chart\'s version alone restarts nobody', () => {
    for (const pod of podsOf(everything).filter(({name}) => !name.startsWith('Pod/')))
        assert.equal(pod.metadata.labels['helm.sh/chart'], undefined, pod.name);
});

test('a change of providers restarts coordinator and workers; a change of replicas does not', async () => {
    const checksums = (objects) => podsOf(objects).filter((pod) => ['coordinator', 'worker'].includes(pod.component))
        .map((pod) => pod.metadata.annotations['checksum/config']);
    const before = checksums(production);
    assert.ok(before.every((sum) => /^[0-9a-f]{64}$/.test(sum)));
    const after = checksums(await render(merged(values('production'), {providers: {main: {rpm: 1}}})));
    assert.ok(before.every((sum, index) => sum !== after[index]));
    assert.deepEqual(checksums(await render(merged(values('production'), {worker: {replicas: 7}}))), before);
});

test('liveness and startup ask only the process, readiness asks what it needs', () => {
    for (const pod of podsOf(everything).filter((one) => ['coordinator', 'worker'].includes(one.component))) {
        const [container] = ownContainersOf(pod);
        assert.equal(container.livenessProbe.httpGet.path, '/healthz', pod.name);
        assert.equal(container.startupProbe.httpGet.path, '/healthz', pod.name);
        assert.equal(container.readinessProbe.httpGet.path, '/readyz', pod.name);
        const names = container.ports.map(({name}) => name);
        for (const probe of ['livenessProbe', 'startupProbe', 'readinessProbe']) assert.ok(names.includes(container[probe].httpGet.port));
    }
});

test('probes speak TLS where the API does', () => {
    assert.equal(ownContainersOf(component(production, 'coordinator')[0])[0].livenessProbe.httpGet.scheme, 'HTTPS');
    assert.equal(ownContainersOf(component(rendered.get('minimal-values.yaml'), 'coordinator')[0])[0].livenessProbe.httpGet.scheme, 'HTTP');
});

test('every probe can be set by itself', async () => {
    const objects = await render(merged(values('minimal'), {worker: {livenessProbe: {periodSeconds: 33}}}));
    const [container] = ownContainersOf(component(objects, 'worker')[0]);
    assert.equal(container.livenessProbe.periodSeconds, 33);
    assert.equal(container.readinessProbe.periodSeconds, 10);
});

test('a worker has longer to end than it drains', () => {
    for (const pod of component(everything, 'worker')) {
        const drain = ownContainersOf(pod)[0].args.find((argument) => argument.startsWith('--drain-timeout=')).match(/\d+/)[0];
        assert.ok(pod.spec.terminationGracePeriodSeconds >= Number(drain) + 15, pod.name);
    }
});

test('the coordinator is a StatefulSet with a claim that stays, or a Deployment on an existing claim', () => {
    const set = one(production, 'StatefulSet', 'coordinator');
    assert.equal(set.spec.replicas, 1);
    assert.deepEqual(set.spec.persistentVolumeClaimRetentionPolicy, {whenDeleted: 'Retain', whenScaled: 'Retain'});
    assert.equal(set.spec.volumeClaimTemplates[0].spec.resources.requests.storage, '200Gi');
    assert.equal(set.spec.serviceName, one(production, 'Service', 'coordinator').metadata.name);

    const standby = rendered.get('standby-values.yaml');
    assert.deepEqual(kinds(standby, 'StatefulSet'), []);
    const deployment = one(standby, 'Deployment', 'coordinator');
    assert.equal(deployment.spec.replicas, 2);
    assert.deepEqual(deployment.spec.strategy.rollingUpdate, {maxSurge: 0, maxUnavailable: '100%'});
    assert.equal(deployment.spec.template.spec.volumes.find(({name}) => name === 'store').persistentVolumeClaim.claimName, 'evalfleet-store');
});

test('a single coordinator on an existing claim lets go before the next one comes', async () => {
    const objects = await render(merged(values('standby'), {coordinator: {replicas: 1}}));
    assert.deepEqual(one(objects, 'Deployment', 'coordinator').spec.strategy, {type: 'Recreate'});
});

test('a release of workers only has nothing of a coordinator', () => {
    const objects = rendered.get('workers-only-values.yaml');
    assert.deepEqual(objects.filter((object) => object.metadata.labels['app.kubernetes.io/component'] === 'coordinator'), []);
    assert.equal(one(objects, 'Deployment', 'worker-default').spec.replicas, 8);
});

test('pools override single values and keep the rest', () => {
    const args = (pool) => ownContainersOf(podOf(one(production, 'Deployment', pool)))[0].args;
    assert.ok(args('worker-default').includes('--concurrency=256'));
    assert.ok(args('worker-spot').includes('--concurrency=128'));
    assert.ok(args('worker-spot').includes('--drain-timeout=20s'));
    const spot = one(production, 'Deployment', 'worker-spot').spec.template.spec;
    assert.deepEqual(spot.containers[0].resources.limits, {memory: '2Gi'});
    assert.deepEqual(spot.nodeSelector, {lifecycle: 'spot'});
});

test('resources are empty by default, and what is given is taken', () => {
    for (const pod of podsOf(rendered.get('minimal-values.yaml')))
        for (const container of containersOf(pod)) assert.equal(container.resources, undefined, pod.name);
    assert.deepEqual(component(production, 'coordinator')[0].spec.containers[0].resources.requests, {cpu: '1', memory: '1Gi'});
});

test('workers are spread over nodes, each pool by itself', () => {
    for (const pod of component(production, 'worker')) {
        const [constraint] = pod.spec.topologySpreadConstraints;
        assert.equal(constraint.whenUnsatisfiable, 'ScheduleAnyway');
        assert.equal(constraint.labelSelector.matchLabels['evalfleet/pool'], pod.metadata.labels['evalfleet/pool']);
    }
});

test('every pool has a disruption budget that lets nodes be drained', () => {
    const budgets = kinds(everything, 'PodDisruptionBudget');
    assert.ok(budgets.length > 10);
    for (const budget of budgets) {
        assert.equal(budget.spec.minAvailable, undefined);
        assert.notEqual(budget.spec.maxUnavailable, 0);
    }
    for (const budget of kinds(production, 'PodDisruptionBudget'))
        assert.equal(budget.spec.unhealthyPodEvictionPolicy, 'AlwaysAllow', 'unless values say otherwise');
});

test('images: digest before tag, the mirror before the registry, the app version by default', () => {
    const image = (objects) => component(objects, 'coordinator')[0].spec.containers[0].image;
    assert.match(image(production), /^platform\/evalfleet@sha256:/);
    assert.equal(image(rendered.get('hatches-values.yaml')), 'mirror.internal:5000/evalfleet:9.9.9');
    assert.match(image(rendered.get('minimal-values.yaml')), /^evalfleet:\d+\.\d+\.\d+$/);
    assert.equal(component(rendered.get('hatches-values.yaml'), 'dev-redis')[0].spec.containers[0].image, 'mirror.internal:5000/redis:7.2');
});

test('the default needs no right but "edit" in its namespace', () => {
    const groups = rendered.get('minimal-values.yaml').map(({apiVersion}) => apiVersion.split('/')[0]);
    for (const group of groups) assert.ok(['v1', 'apps', 'policy'].includes(group), group);
});

test('IPv6: listens and connects with brackets where a port follows', () => {
    const objects = rendered.get('standby-values.yaml');
    const [coordinator] = ownContainersOf(component(objects, 'coordinator')[0]);
    assert.ok(coordinator.args.includes('--listen=[::]:8080'));
    assert.equal(coordinator.env.find(({name}) => name === 'EVALFLEET_REDIS').value, 'redis://[fd00::6]:6379/0');
    assert.ok(ownContainersOf(component(objects, 'worker')[0])[0].args.includes('--metrics-host=::'));
});

test('no two containers of a pod have one name', () => {
    for (const pod of podsOf(everything)) {
        const names = [...pod.spec.initContainers ?? [], ...pod.spec.containers].map(({name}) => name);
        assert.equal(new Set(names).size, names.length, `${pod.name}: ${names}`);
    }
});

test('the webhooks file and what lies beside it come from one Secret', async () => {
    const pod = (objects) => component(objects, 'coordinator')[0].spec;
    const named = (list) => list.filter(({name}) => name === 'webhooks');
    assert.deepEqual(named(pod(production).volumes), []);
    assert.ok(!pod(production).containers[0].args.some((arg) => arg.startsWith('--webhooks')));
    const told = pod(await render(merged(values('production'), {webhooks: {existingSecret: 'hooks', key: 'chat.yaml'}})));
    assert.ok(told.containers[0].args.includes('--webhooks=/etc/evalfleet/webhooks/chat.yaml'));
    assert.deepEqual(named(told.volumes), [{name: 'webhooks', secret: {secretName: 'hooks'}}]);
    assert.deepEqual(named(told.containers[0].volumeMounts), [{name: 'webhooks', mountPath: '/etc/evalfleet/webhooks', readOnly: true}]);
});

test('every escape hatch arrives', () => {
    const objects = rendered.get('hatches-values.yaml');
    for (const name of ['coordinator', 'worker']) {
        const [pod] = component(objects, name);
        assert.equal(pod.metadata.annotations.note, 'one');
        assert.equal(pod.metadata.labels.note, 'two');
        assert.equal(pod.metadata.labels.team, 'evals');
        assert.deepEqual(pod.spec.containers.map((container) => container.name), [name, 'sidecar']);
        assert.equal(pod.spec.initContainers[0].name, 'first');
        assert.ok(pod.spec.containers[0].volumeMounts.some(({mountPath}) => mountPath === '/more'));
    }
    const [coordinator] = component(objects, 'coordinator');
    assert.equal(coordinator.spec.priorityClassName, 'high');
    assert.deepEqual(coordinator.spec.tolerations, [{operator: 'Exists'}]);
    assert.equal(coordinator.spec.topologySpreadConstraints[0].labelSelector.matchLabels['app.kubernetes.io/component'], 'coordinator');
    assert.ok(coordinator.spec.containers[0].args.includes('--window-jobs=5000'));
    assert.ok(objects.some((object) => object.metadata.name === 'r-more'));
    assert.deepEqual(kinds(objects, 'Pod'), [], 'helmTest.enabled=false');
});

test('coordinator and workers are told where they run, if the operator says so', async () => {
    const flags = (objects) => podsOf(objects).flatMap(ownContainersOf).filter(({name}) => ['coordinator', 'worker'].includes(name))
        .map(({args}) => args.filter((arg) => arg.startsWith('--environment')));
    for (const of of flags(production)) assert.deepEqual(of, []);
    const said = await render(merged(values('production'), {environment: {region: 'eu-west-1', deployment: 'prod'}}));
    assert.ok(flags(said).length > 1);
    for (const of of flags(said)) assert.deepEqual(of, ['--environment=region=eu-west-1,deployment=prod']);
    const region = await render(merged(values('production'), {environment: {region: 'eu-west-1'}}));
    for (const of of flags(region)) assert.deepEqual(of, ['--environment=region=eu-west-1']);
});

const workerOf = (objects) => component(objects, 'worker')[0];
const behindProxy = rendered.get('providers-values.yaml');

test('workers reach a provider with an authority and a client certificate of its own', () => {
    const {providers} = yaml.parse(one(behindProxy, 'ConfigMap', '-providers').data['providers.yaml']);
    const {ca_file: authority, client_cert_file: certificate, client_key_file: key} = providers.inside;
    assert.equal(providers.inside.idle_timeout_ms, 55000);
    const [container] = ownContainersOf(workerOf(behindProxy));
    const folder = container.volumeMounts.find(({name}) => name === 'keys').mountPath;
    const sources = workerOf(behindProxy).spec.volumes.find(({name}) => name === 'keys').projected.sources;
    const files = new Map(sources.flatMap(({secret}) =>
        secret.items.map((item) => [`${folder}/${item.path}`, `${secret.name} ${item.key}`])));
    assert.deepEqual([authority, certificate, key].map((file) => files.get(file)),
        ['corp-ca ca.crt', 'corp-client tls.crt', 'corp-client tls.key']);
});

test('workers go through the proxies that are named, and nobody else does', () => {
    const [container] = ownContainersOf(workerOf(behindProxy));
    assert.equal(variable(container, 'HTTPS_PROXY').value, 'http://proxy.corp.svc:3128');
    assert.deepEqual(variable(container, 'ALL_PROXY').valueFrom, {secretKeyRef: {name: 'proxies', key: 'outside'}});
    assert.equal(variable(container, 'NO_PROXY').value, 'models.corp.example,10.0.0.0/8');
    assert.equal(variable(container, 'HTTP_PROXY'), undefined);
    for (const pod of podsOf(everything).filter((one) => one.component !== 'worker'))
        for (const own of containersOf(pod))
            assert.ok(!(own.env ?? []).some(({name}) => /_PROXY$/.test(name)), pod.name);
});

test('the key of original answers is a file that only workers see, and others on the node cannot read', () => {
    const [container] = ownContainersOf(workerOf(behindProxy));
    const [flag] = container.args.filter((argument) => argument.startsWith('--keep-originals='));
    const mount = container.volumeMounts.find(({name}) => name === 'originals');
    assert.equal(flag, `--keep-originals=${mount.mountPath}/originals.key`);
    const {secret} = workerOf(behindProxy).spec.volumes.find(({name}) => name === 'originals');
    assert.equal(secret.secretName, 'originals');
    assert.equal(secret.defaultMode, 0o440);
    assert.deepEqual(secret.items, [{key: 'originals.key', path: 'originals.key'}]);
    for (const pod of podsOf(everything).filter((one) => one.component !== 'worker'))
        assert.ok(!secretsOf(pod).has('originals'), pod.name);
    const [usual] = ownContainersOf(component(production, 'worker')[0]);
    assert.ok(!usual.args.some((argument) => argument.startsWith('--keep-originals')));
});
