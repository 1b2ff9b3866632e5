// The URL that coordinator and workers get for each kind of Redis.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {merged, render, renderAll, values} from './support/helm.mjs';
import {component, kinds, one, ownContainersOf, variable} from './support/objects.mjs';

const rendered = await renderAll();
const containers = (objects) => ['coordinator', 'worker'].flatMap((name) => component(objects, name)).map((pod) => ownContainersOf(pod)[0]);

function urlOf(objects) {
    const urls = new Set(containers(objects).map((container) => variable(container, 'EVALFLEET_REDIS').value));
    assert.equal(urls.size, 1, 'coordinator and workers get the same URL');
    return [...urls][0];
}

test('a plain server', () => {
    assert.equal(urlOf(rendered.get('minimal-values.yaml')), 'redis://redis.data.svc:6379/0');
});

test('TLS, a user and certificates', () => {
    const folder = '/etc/evalfleet/redis-tls';
    assert.equal(urlOf(rendered.get('production-values.yaml')),
        `rediss://evalfleet:@redis.data.svc:6380/0?ca_file=${folder}/ca.crt&cert_file=${folder}/tls.crt&key_file=${folder}/tls.key`);
    for (const container of containers(rendered.get('production-values.yaml')))
        assert.ok(container.volumeMounts.some(({mountPath}) => mountPath === folder));
});

test('TLS with the system\'s authorities and another name', async () => {
    const objects = await render(merged(values('minimal'), {redis: {database: 3, tls: {enabled: true, serverName: 'redis.example.com'}}}));
    assert.equal(urlOf(objects), 'rediss://redis.data.svc:6379/3?server_name=redis.example.com');
});

test('a user name is percent-encoded', async () => {
    const objects = await render(merged(values('minimal'), {redis: {username: 'a b/c@d', existingSecret: 's'}}));
    assert.match(urlOf(objects), /^redis:\/\/a%20b%2Fc%40d:@/);
});

test('sentinels', () => {
    assert.equal(urlOf(rendered.get('sentinel-values.yaml')),
        'redis+sentinel://sentinel-0.redis:26379,sentinel-1.redis:26379,sentinel-2.redis:26379/main/2' +
        '?sentinel_user=watcher&sentinel_password=$(REDIS_SENTINEL_PASSWORD)');
    for (const container of containers(rendered.get('sentinel-values.yaml'))) {
        const names = container.env.map(({name}) => name);
        assert.deepEqual(names, ['EVALFLEET_REDIS_PASSWORD', 'REDIS_SENTINEL_PASSWORD', 'EVALFLEET_REDIS'], 'a variable must stand before its use');
        assert.equal(variable(container, 'REDIS_SENTINEL_PASSWORD').valueFrom.secretKeyRef.key, 'sentinel-password');
    }
});

test('a cluster', () => {
    assert.equal(urlOf(rendered.get('cluster-values.yaml')), 'rediss+cluster://evalfleet:@redis-0.redis:6379,redis-1.redis:6379');
});

test('a whole URL out of a Secret', () => {
    for (const container of containers(rendered.get('url-values.yaml'))) {
        assert.deepEqual(variable(container, 'EVALFLEET_REDIS').valueFrom, {secretKeyRef: {name: 'evalfleet-redis', key: 'url'}});
        assert.equal(variable(container, 'EVALFLEET_REDIS_PASSWORD'), undefined);
        assert.ok(container.volumeMounts.some(({mountPath}) => mountPath === '/etc/evalfleet/redis-tls'), 'files that the URL may name');
    }
});

test('the development Redis is marked, evicts nothing, and keeps nothing', () => {
    const objects = rendered.get('development-values.yaml');
    assert.equal(urlOf(objects), 'redis://r-evalfleet-dev-redis:6379/0');
    const redis = one(objects, 'Deployment', 'dev-redis');
    assert.equal(redis.metadata.annotations['evalfleet/not-for-production'], 'true');
    const args = redis.spec.template.spec.containers[0].args;
    assert.equal(args[args.indexOf('--maxmemory-policy') + 1], 'noeviction');
    assert.equal(one(objects, 'Service', 'dev-redis').spec.ports[0].port, 6379);
});

test('no other scenario has a Redis of its own', () => {
    for (const [scenario, objects] of rendered)
        if (!/development|hatches/.test(scenario))
            assert.deepEqual(kinds(objects, 'Deployment').filter(({metadata}) => metadata.name.endsWith('redis')), [], scenario);
});

test('the function library is loaded before everything else, by a user of its own', () => {
    const job = one(rendered.get('production-values.yaml'), 'Job', 'loader');
    assert.equal(job.metadata.annotations['helm.sh/hook'], 'pre-install,pre-upgrade');
    const {spec} = job.spec.template;
    assert.equal(spec.serviceAccountName, undefined, 'the release\'s own does not exist yet');
    const [container] = spec.containers;
    assert.deepEqual(container.args, ['functions', 'load', '--pool=main']);
    assert.match(variable(container, 'EVALFLEET_REDIS').value, /^rediss:\/\/evalfleet-loader:@redis\.data\.svc:6380\/0\?ca_file=/);
    assert.deepEqual(variable(container, 'EVALFLEET_REDIS_PASSWORD').valueFrom.secretKeyRef, {name: 'evalfleet-redis-loader', key: 'password'});
});

test('nobody but the loader gets its password, and without one there is no Job', () => {
    for (const container of containers(rendered.get('production-values.yaml')))
        assert.equal(variable(container, 'EVALFLEET_REDIS_PASSWORD').valueFrom.secretKeyRef.name, 'evalfleet-redis');
    for (const [scenario, objects] of rendered)
        if (!/production/.test(scenario)) assert.deepEqual(kinds(objects, 'Job'), [], scenario);
});

test('the loader may have a whole URL of its own', async () => {
    const objects = await render(merged(values('minimal'), {redis: {loader: {enabled: true, existingSecret: 'l', urlKey: 'url'}}}));
    const [container] = one(objects, 'Job', 'loader').spec.template.spec.containers;
    assert.deepEqual(variable(container, 'EVALFLEET_REDIS').valueFrom, {secretKeyRef: {name: 'l', key: 'url'}});
});
