// Network policies: off by default, and closed but for what each part needs.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {merged, render, renderAll, values} from './support/helm.mjs';
import {kinds, matches, one, podsOf} from './support/objects.mjs';

const rendered = await renderAll();
const production = rendered.get('production-values.yaml');
const ports = (rules) => (rules ?? []).flatMap((rule) => rule.ports ?? []).map(({port}) => port);

test('off by default', () => {
    assert.deepEqual(kinds(rendered.get('minimal-values.yaml'), 'NetworkPolicy'), []);
});

test('when on, every pod is under a policy for both directions', () => {
    for (const [scenario, objects] of rendered) {
        const policies = kinds(objects, 'NetworkPolicy');
        if (policies.length === 0) continue;
        for (const policy of policies) assert.deepEqual(policy.spec.policyTypes, ['Ingress', 'Egress']);
        for (const pod of podsOf(objects)) {
            const covering = policies.filter(({spec: {podSelector}}) => matches(podSelector.matchLabels, pod.metadata.labels) &&
                (podSelector.matchExpressions ?? []).every(({key, values: allowed}) => allowed.includes(pod.metadata.labels[key])));
            assert.equal(covering.length, 1, `${scenario}: ${pod.name}`);
        }
    }
});

test('the coordinator is open to clients, ingress and monitoring, and goes to names and Redis', () => {
    const {spec} = one(production, 'NetworkPolicy', 'coordinator');
    assert.deepEqual(ports(spec.ingress), ['http']);
    assert.equal(spec.ingress[0].from.length, 3);
    assert.deepEqual(ports(spec.egress), [53, 53, 6380]);
    assert.equal(spec.egress[1].to[0].namespaceSelector.matchLabels['kubernetes.io/metadata.name'], 'data');
});

test('workers are open to monitoring only, and go to names, Redis and providers', () => {
    const {spec} = one(production, 'NetworkPolicy', 'worker');
    assert.deepEqual(ports(spec.ingress), ['metrics']);
    assert.deepEqual(ports(spec.egress), [53, 53, 6380, 443]);
    assert.deepEqual(ports(one(rendered.get('hpa-values.yaml'), 'NetworkPolicy', 'worker').spec.egress), [53, 53, 6379, 11434]);
});

test('behind sentinels both their port and that of the data nodes is open', () => {
    assert.deepEqual(ports(one(rendered.get('sentinel-values.yaml'), 'NetworkPolicy', 'worker').spec.egress), [53, 53, 6379, 26379, 443]);
});

test('nightly runs and helm test go to the coordinator only, and nobody comes to them', () => {
    const {spec} = one(production, 'NetworkPolicy', 'clients');
    assert.equal(spec.ingress, undefined);
    assert.deepEqual(ports(spec.egress), [53, 53, 'http']);
    assert.equal(spec.egress[1].to[0].podSelector.matchLabels['app.kubernetes.io/component'], 'coordinator');
});

test('the development Redis is open to coordinator and workers, and goes nowhere', async () => {
    const objects = await render(merged(values('development'), {networkPolicy: {enabled: true}}));
    const {spec} = one(objects, 'NetworkPolicy', 'dev-redis');
    assert.equal(spec.egress, undefined);
    assert.deepEqual(spec.ingress[0].from.map(({podSelector}) => podSelector.matchLabels['app.kubernetes.io/component']), ['coordinator', 'worker']);
    assert.deepEqual(ports(one(objects, 'NetworkPolicy', 'worker').spec.egress), [53, 53, 'redis', 443]);
});
