// Every pod passes Pod Security "restricted", and more; nobody can read a secret that is not for him.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {merged, render, renderAll, values} from './support/helm.mjs';
import {component, containersOf, kinds, one, ownContainersOf, podsOf, secretsOf, variable} from './support/objects.mjs';

const rendered = await renderAll();
const pods = [...rendered].flatMap(([scenario, objects]) => podsOf(objects).map((pod) => ({...pod, name: `${scenario}: ${pod.name}`})));
const allowedVolumes = ['configMap', 'secret', 'projected', 'emptyDir', 'persistentVolumeClaim'];

test('every pod runs as a numbered user that is not root, with the default seccomp profile', () => {
    assert.ok(pods.length > 30);
    for (const {name, spec} of pods) {
        assert.equal(spec.securityContext.runAsNonRoot, true, name);
        assert.ok(spec.securityContext.runAsUser > 10000, name);
        assert.equal(spec.securityContext.seccompProfile.type, 'RuntimeDefault', name);
    }
});

test('every container drops all capabilities, cannot gain privileges, and has a read-only root', () => {
    for (const pod of pods) {
        for (const container of containersOf(pod)) {
            assert.equal(container.securityContext.allowPrivilegeEscalation, false, pod.name);
            assert.equal(container.securityContext.readOnlyRootFilesystem, true, pod.name);
            assert.deepEqual(container.securityContext.capabilities, {drop: ['ALL']}, pod.name);
            assert.notEqual(container.securityContext.privileged, true, pod.name);
        }
    }
});

test('no pod touches the host or mounts a volume that "restricted" forbids', () => {
    for (const {name, spec} of pods) {
        assert.ok(!spec.hostNetwork && !spec.hostPID && !spec.hostIPC, name);
        for (const volume of spec.volumes ?? [])
            assert.ok(Object.keys(volume).some((kind) => allowedVolumes.includes(kind)), `${name}: ${volume.name}`);
        for (const container of containersOf({spec}))
            for (const port of container.ports ?? []) assert.equal(port.hostPort, undefined, name);
    }
});

test('no pod has a token of the Kubernetes API, and there is no role', () => {
    for (const {name, spec} of pods) assert.equal(spec.automountServiceAccountToken, false, name);
    for (const objects of rendered.values()) {
        for (const account of kinds(objects, 'ServiceAccount')) assert.equal(account.automountServiceAccountToken, false);
        assert.deepEqual(objects.filter(({kind}) => /Role/.test(kind)), []);
    }
});

test('no pod gets variables from Services, which would be taken for flags', () => {
    for (const {name, spec} of pods) assert.equal(spec.enableServiceLinks, false, name);
});

test('every volume that is mounted exists, and every one that exists is mounted', () => {
    for (const pod of pods) {
        const mounted = new Set(containersOf(pod).flatMap((container) => (container.volumeMounts ?? []).map(({name}) => name)));
        const claimed = pod.component === 'coordinator' ? ['store'] : [];
        const existing = new Set([...(pod.spec.volumes ?? []).map(({name}) => name), ...claimed]);
        assert.deepEqual([...mounted].sort(), [...existing].sort(), pod.name);
    }
});

test('provider keys reach workers only, as files', () => {
    for (const [scenario, objects] of rendered) {
        for (const pod of podsOf(objects)) {
            const keys = [...secretsOf(pod)].filter((name) => /provider-keys|judge-key/.test(name));
            if (pod.component !== 'worker') assert.deepEqual(keys, [], `${scenario}: ${pod.name}`);
        }
    }
    const worker = component(rendered.get('production-values.yaml'), 'worker')[0];
    const keys = worker.spec.volumes.find(({name}) => name === 'keys');
    assert.deepEqual(keys.projected.sources.map(({secret}) => [secret.name, secret.items[0].path]),
                     [['judge-key', 'judge'], ['provider-keys', 'main']]);
    assert.ok(keys.projected.sources.every(({secret}) => secret.items.length === 1), 'only the key that is meant');
});

test('workers do not see tokens, the API\'s certificate or the store', () => {
    for (const objects of rendered.values()) {
        for (const pod of component(objects, 'worker')) {
            const secrets = secretsOf(pod);
            for (const name of ['evalfleet-tokens', 'evalfleet-tls', 'evalfleet-nightly-token']) assert.ok(!secrets.has(name));
            assert.ok(!pod.spec.volumes.some((volume) => volume.persistentVolumeClaim));
        }
    }
});

test('nightly runs see their token and nothing else', () => {
    const [run] = component(rendered.get('production-values.yaml'), 'nightly');
    assert.deepEqual([...secretsOf(run)].sort(), ['evalfleet-nightly-token', 'evalfleet-tls']);
    const ca = run.spec.volumes.find(({name}) => name === 'ca');
    assert.deepEqual(ca.secret.items, [{key: 'ca.crt', path: 'ca.crt'}], 'the authority, not the private key');
});

test('no Secret is rendered, and no variable or argument of ours holds one', async () => {
    for (const [scenario, objects] of rendered) {
        assert.deepEqual(kinds(objects, 'Secret'), [], scenario);
        for (const pod of podsOf(objects)) {
            for (const container of ownContainersOf(pod)) {
                for (const entry of container.env ?? [])
                    if (/passw|token|secret|key$/i.test(entry.name)) assert.ok(entry.valueFrom, `${scenario}: ${pod.name}: ${entry.name}`);
                for (const argument of container.args) assert.doesNotMatch(argument, /passw|--token=|\$\(REDIS/i);
            }
        }
    }
});

test('the Redis password goes from its Secret into the URL, in the kubelet', async () => {
    for (const name of ['coordinator', 'worker']) {
        const [container] = ownContainersOf(component(rendered.get('production-values.yaml'), name)[0]);
        const names = container.env.map((entry) => entry.name);
        assert.deepEqual(variable(container, 'EVALFLEET_REDIS_PASSWORD').valueFrom, {secretKeyRef: {name: 'evalfleet-redis', key: 'password'}});
        assert.ok(names.includes('EVALFLEET_REDIS'));
        assert.match(variable(container, 'EVALFLEET_REDIS').value, /^rediss:\/\/evalfleet:@/);
    }
});

test('Secrets are mounted as folders, so that a change reaches the program', () => {
    for (const pod of pods) {
        const secrets = new Set((pod.spec.volumes ?? []).filter((volume) => volume.secret || volume.projected).map(({name}) => name));
        for (const container of containersOf(pod))
            for (const mount of container.volumeMounts ?? [])
                if (secrets.has(mount.name)) {
                    assert.equal(mount.subPath, undefined, pod.name);
                    assert.equal(mount.readOnly, true, pod.name);
                }
    }
});

test('OpenShift can choose the user: numbers can be taken out', async () => {
    const objects = await render(merged(values('minimal'), {podSecurityContext: {runAsUser: null, runAsGroup: null, fsGroup: null}}));
    const pod = one(objects, 'StatefulSet').spec.template.spec;
    assert.equal(pod.securityContext.runAsUser, undefined);
    assert.equal(pod.securityContext.runAsNonRoot, true);
});
