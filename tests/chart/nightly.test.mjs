// Runs on a schedule, and the pod of `helm test`.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {merged, render, renderAll, values} from './support/helm.mjs';
import {kinds, one, podOf, variable} from './support/objects.mjs';

const rendered = await renderAll();
const production = rendered.get('production-values.yaml');
const submitOf = (objects, name) => podOf(one(objects, 'CronJob', name)).spec.containers[0];

test('submits with a key that a second pod of the same night has too', () => {
    const submit = submitOf(production, 'qa');
    assert.deepEqual(submit.command, ['evalfleet']);
    assert.deepEqual(submit.args, ['submit', '/etc/evalfleet/run/run.yaml', '--wait', '--idempotency-key=$(JOB_NAME)']);
    // The name of the Job, made of the CronJob's and the minute it was scheduled for.
    assert.equal(variable(submit, 'JOB_NAME').valueFrom.fieldRef.fieldPath, "metadata.labels['batch.kubernetes.io/job-name']");
});

test('the token comes from a Secret, the address from the Service', () => {
    const submit = submitOf(production, 'qa');
    assert.deepEqual(variable(submit, 'EVALFLEET_TOKEN').valueFrom.secretKeyRef, {name: 'evalfleet-nightly-token', key: 'token'});
    assert.equal(variable(submit, 'EVALFLEET_COORDINATOR_URL').value, 'https://r-evalfleet-coordinator.ns.svc:8080');
    assert.equal(variable(submit, 'SSL_CERT_FILE').value, '/etc/evalfleet/ca/ca.crt');
});

test('a verdict is not tried again, a lost pod is', () => {
    const job = one(production, 'CronJob', 'qa').spec.jobTemplate.spec;
    assert.equal(job.template.spec.restartPolicy, 'Never');
    assert.deepEqual(job.podFailurePolicy.rules[0].onExitCodes.values, [1, 2]);
    assert.deepEqual(job.podFailurePolicy.rules[1].onPodConditions, [{type: 'DisruptionTarget', status: 'True'}]);
    assert.equal(job.podFailurePolicy.rules[0].onExitCodes.containerName, job.template.spec.containers[0].name);
    assert.ok(job.backoffLimit > 0 && job.backoffLimit <= 5);
});

test('one at a time, in a named time zone, with deadlines and limits', () => {
    for (const {spec} of kinds(production, 'CronJob')) {
        assert.equal(spec.concurrencyPolicy, 'Forbid');
        assert.equal(spec.timeZone, 'Europe/Oslo');
        assert.ok(spec.startingDeadlineSeconds > 0 && spec.jobTemplate.spec.activeDeadlineSeconds > 0);
        assert.ok(spec.successfulJobsHistoryLimit <= 5 && spec.failedJobsHistoryLimit <= 5);
    }
});

test('files are a ConfigMap of the release, or one that exists', () => {
    const run = (name) => podOf(one(production, 'CronJob', name)).spec.volumes.find((volume) => volume.name === 'run').configMap.name;
    assert.match(one(production, 'ConfigMap', 'run-qa').data['run.yaml'], /name: nightly-qa/);
    assert.equal(run('qa'), one(production, 'ConfigMap', 'run-qa').metadata.name);
    assert.equal(run('safety'), 'safety-run');
    assert.equal(one(production, 'CronJob', 'safety').spec.schedule, '30 3 * * 1-5');
    assert.equal(submitOf(production, 'safety').args[1], '/etc/evalfleet/run/safety.yaml');
});

test('files arrive byte for byte', async () => {
    const text = '{"task": "a \\"b\\" {{ c }}"}\n\n  spaces \t and tabs\n';
    const objects = await render(merged(values('production'), {nightlyRuns: {qa: {files: {'qa.jsonl': text}}}}));
    assert.equal(one(objects, 'ConfigMap', 'run-qa').data['qa.jsonl'], text);
});

test('helm test runs the product\'s own health command and cleans up', () => {
    const pod = one(production, 'Pod', 'test-health');
    assert.deepEqual(pod.spec.containers[0].command, ['evalfleet']);
    assert.deepEqual(pod.spec.containers[0].args, ['health', '--url=https://r-evalfleet-coordinator.ns.svc:8080']);
    assert.equal(pod.metadata.annotations['helm.sh/hook'], 'test');
    assert.equal(pod.metadata.annotations['helm.sh/hook-delete-policy'], 'before-hook-creation,hook-succeeded');
});
