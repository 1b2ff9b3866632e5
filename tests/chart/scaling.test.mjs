// Automatic scaling: by KEDA, by a HorizontalPodAutoscaler, or not at all.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {merged, render, renderAll, values} from './support/helm.mjs';
import {kinds, one} from './support/objects.mjs';

const rendered = await renderAll();
const production = rendered.get('production-values.yaml');

test('replicas stand in a Deployment only when nothing else scales it', () => {
    for (const [scenario, objects] of rendered) {
        const scaled = new Set([...kinds(objects, 'ScaledObject'), ...kinds(objects, 'HorizontalPodAutoscaler')]
            .map((object) => object.spec.scaleTargetRef.name));
        for (const deployment of kinds(objects, 'Deployment'))
            assert.equal('replicas' in deployment.spec, !scaled.has(deployment.metadata.name), `${scenario}: ${deployment.metadata.name}`);
    }
});

test('no pool has two autoscalers', () => {
    for (const objects of rendered.values()) {
        const targets = [...kinds(objects, 'ScaledObject'), ...kinds(objects, 'HorizontalPodAutoscaler')].map((object) => object.spec.scaleTargetRef.name);
        assert.equal(new Set(targets).size, targets.length);
        for (const target of targets) one(objects, 'Deployment', target);
    }
});

test('KEDA scales on queued plus leased work, not on CPU or on a queue\'s length alone', () => {
    const [trigger] = one(production, 'ScaledObject', 'default').spec.triggers;
    assert.equal(trigger.type, 'prometheus');
    assert.equal(trigger.metricType, 'AverageValue');
    assert.equal(trigger.metadata.query, 'max(evalfleet_desired_slots{namespace="ns",pool="main"})');
});

test('workers of a coordinator elsewhere look for its queue in every namespace', async () => {
    const objects = await render(merged(values('workers-only'), {worker: {autoscaling: {type: 'keda', keda: {prometheusAddress: 'http://p'}}}}));
    assert.equal(one(objects, 'ScaledObject').spec.triggers[0].metadata.query, 'max(evalfleet_desired_slots{pool="main"})');
});

test('a pod is wanted for as many slots as it has, divided by the pool\'s share', () => {
    assert.equal(one(production, 'ScaledObject', 'default').spec.triggers[0].metadata.threshold, String(Math.round(256 / 0.75)));
    assert.equal(one(production, 'ScaledObject', 'spot').spec.triggers[0].metadata.threshold, String(128 / 0.25));
});

test('no answer from Prometheus is a fault with a fallback, not the absence of work', () => {
    for (const {spec} of kinds(production, 'ScaledObject')) {
        assert.equal(spec.triggers[0].metadata.ignoreNullValues, 'false');
        assert.equal(spec.fallback.behavior, 'currentReplicasIfHigher');
        assert.ok(spec.fallback.replicas > 0);
    }
});

test('scaling down is slow', () => {
    for (const {spec} of kinds(production, 'ScaledObject'))
        assert.ok(spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds >= 300);
    for (const {spec} of kinds(rendered.get('hpa-values.yaml'), 'HorizontalPodAutoscaler'))
        assert.ok(spec.behavior.scaleDown.stabilizationWindowSeconds >= 300);
});

test('least, most, polling, cooling down and activation can be set', async () => {
    const objects = await render(merged(values('production'), {
        workerPools: {spot: {autoscaling: {minReplicas: 3, maxReplicas: 7, keda: {pollingInterval: 5, cooldownPeriod: 60, activationThreshold: 9}}}},
    }));
    const {spec} = one(objects, 'ScaledObject', 'spot');
    assert.deepEqual([spec.minReplicaCount, spec.maxReplicaCount, spec.pollingInterval, spec.cooldownPeriod], [3, 7, 5, 60]);
    assert.equal(spec.triggers[0].metadata.activationThreshold, '9');
});

test('KEDA can ask the coordinator itself, with a token from a Secret', () => {
    const objects = rendered.get('keda-metrics-api-values.yaml');
    const scaled = one(objects, 'ScaledObject');
    const [trigger] = scaled.spec.triggers;
    assert.equal(trigger.type, 'metrics-api');
    assert.equal(trigger.metadata.url, 'http://r-evalfleet-coordinator.ns.svc:8080/metrics');
    assert.equal(trigger.metadata.format, 'prometheus');
    assert.equal(trigger.metadata.authMode, 'bearer');
    const authentication = one(objects, 'TriggerAuthentication');
    assert.equal(trigger.authenticationRef.name, authentication.metadata.name);
    assert.deepEqual(authentication.spec.secretTargetRef, [{parameter: 'token', name: 'evalfleet-reader', key: 'token'}]);
    assert.equal(scaled.metadata.annotations['autoscaling.keda.sh/paused'], 'false');
});

test('KEDA trusts the coordinator\'s own authority', async () => {
    const objects = await render(merged(values('keda-metrics-api'), {tls: {existingSecret: 'evalfleet-tls'}}));
    assert.equal(one(objects, 'ScaledObject').spec.triggers[0].metadata.url, 'https://r-evalfleet-coordinator.ns.svc:8080/metrics');
    assert.deepEqual(one(objects, 'TriggerAuthentication').spec.secretTargetRef.map(({parameter, name, key}) => [parameter, name, key]),
                     [['token', 'evalfleet-reader', 'token'], ['ca', 'evalfleet-tls', 'ca.crt']]);
});

test('the token for Prometheus goes by the name that its scaler wants', async () => {
    const objects = await render(merged(values('production'), {worker: {autoscaling: {keda: {tokenSecret: 'prometheus-token'}}}}));
    assert.equal(one(objects, 'TriggerAuthentication', 'spot').spec.secretTargetRef[0].parameter, 'bearerToken');
    assert.equal(one(objects, 'ScaledObject', 'spot').spec.triggers[0].metadata.authModes, 'bearer');
});

test('a HorizontalPodAutoscaler uses the external metric, or what it is given', () => {
    const objects = rendered.get('hpa-values.yaml');
    const [metric] = one(objects, 'HorizontalPodAutoscaler', 'default').spec.metrics;
    assert.equal(metric.external.metric.name, 'evalfleet_desired_slots');
    assert.equal(metric.external.target.averageValue, '64');
    assert.equal(one(objects, 'HorizontalPodAutoscaler', 'cpu').spec.metrics[0].resource.name, 'cpu');
});
