// What clusters differ in: annotations of everything, families of addresses, Gateways, runtime classes, and what a hub shows of the chart.
import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';

import {merged, render, renderAll, values, yaml} from './support/helm.mjs';
import {kinds, one, ownContainersOf, podOf, podsOf} from './support/objects.mjs';
import {chart} from './support/places.mjs';

const rendered = await renderAll();
const hatches = rendered.get('hatches-values.yaml');
const production = rendered.get('production-values.yaml');
const text = (file) => readFileSync(join(chart, file), 'utf8');

test('every object of ours has the common annotations beside its own', async () => {
    const objects = await render(merged(values('production'), {commonAnnotations: {owner: 'us'}, helmTest: {enabled: true}, serviceAccount: {annotations: {role: 'x'}}}));
    for (const {kind, metadata} of objects) assert.equal(metadata.annotations?.owner, 'us', `${kind}/${metadata.name}`);
    assert.deepEqual(one(objects, 'ServiceAccount').metadata.annotations, {owner: 'us', role: 'x'});
    assert.equal(one(objects, 'Pod').metadata.annotations['helm.sh/hook'], 'test');
});

test('an annotation of an object wins over the common one', async () => {
    const objects = await render(merged(values('minimal'), {commonAnnotations: {owner: 'us'}, coordinator: {service: {annotations: {owner: 'me'}}}}));
    assert.equal(kinds(objects, 'Service').find(({metadata}) => metadata.name.endsWith('coordinator')).metadata.annotations.owner, 'me');
});

test('common annotations restart no pod', async () => {
    const templates = (objects) => objects.filter(({kind}) => kind !== 'Pod').map(podOf).filter(Boolean);
    assert.deepEqual(templates(await render(merged(values('production'), {commonAnnotations: {owner: 'us'}}))), templates(production));
});

test('the Service has the families of addresses that were asked for, else the cluster\'s', () => {
    const service = (objects) => kinds(objects, 'Service').find(({metadata}) => metadata.name.endsWith('coordinator')).spec;
    assert.equal(service(hatches).ipFamilyPolicy, 'PreferDualStack');
    assert.deepEqual(service(hatches).ipFamilies, ['IPv6', 'IPv4']);
    assert.ok(!('ipFamilyPolicy' in service(production)) && !('ipFamilies' in service(production)));
});

test('an HTTPRoute leads from the Gateway to the coordinator\'s Service, for as long as progress streams', () => {
    const {spec, metadata} = one(hatches, 'HTTPRoute');
    assert.deepEqual(spec.parentRefs, [{name: 'gate', namespace: 'gates', sectionName: 'https'}]);
    assert.deepEqual(spec.hostnames, ['evals.example.com']);
    assert.equal(metadata.annotations.a, 'b');
    const [rule] = spec.rules;
    assert.deepEqual(rule.matches, [{path: {type: 'PathPrefix', value: '/evals'}}]);
    assert.equal(rule.filters[0].type, 'URLRewrite');
    assert.equal(rule.timeouts.request, '2h');
    const service = kinds(hatches, 'Service').find(({metadata}) => metadata.name === rule.backendRefs[0].name);
    assert.equal(rule.backendRefs[0].port, service.spec.ports[0].port);
    assert.equal(kinds(production, 'HTTPRoute').length, 0);
});

test('an HTTPRoute has no limit of time unless one is given', async () => {
    const objects = await render(merged(values('minimal'), {coordinator: {httpRoute: {enabled: true, parentRefs: [{name: 'gate'}]}}}));
    const {spec} = one(objects, 'HTTPRoute');
    assert.equal(spec.rules[0].timeouts.request, '0s');
    assert.ok(!('hostnames' in spec));
});

test('budgets say what becomes of pods that are not ready', () => {
    for (const budget of kinds(hatches, 'PodDisruptionBudget')) assert.equal(budget.spec.unhealthyPodEvictionPolicy, 'IfHealthyBudget');
    for (const budget of kinds(production, 'PodDisruptionBudget')) assert.equal(budget.spec.unhealthyPodEvictionPolicy, 'AlwaysAllow');
});

test('coordinator, workers and nightly runs take runtime class, host aliases and DNS settings', () => {
    const pods = podsOf(hatches).filter(({component}) => ['coordinator', 'worker', 'nightly'].includes(component));
    assert.ok(pods.length >= 3);
    for (const {spec, name} of pods) {
        assert.equal(spec.runtimeClassName, 'gvisor', name);
        assert.deepEqual(spec.hostAliases, [{ip: '10.0.0.9', hostnames: ['redis.internal']}], name);
        assert.deepEqual(spec.dnsConfig.searches, ['internal'], name);
    }
    for (const {spec, name} of podsOf(production))
        for (const key of ['runtimeClassName', 'hostAliases', 'dnsConfig']) assert.ok(!(key in spec), `${name}: ${key}`);
});

test('hooks of the life cycle are those of our containers', () => {
    const lifecycles = (component) => podsOf(hatches).filter((pod) => pod.component === component)
        .flatMap((pod) => pod.spec.containers.filter(({name}) => name === component).map(({lifecycle}) => lifecycle));
    assert.deepEqual(lifecycles('coordinator'), [{preStop: {exec: {command: ['/bin/sleep', '5']}}}]);
    assert.ok(lifecycles('worker').length > 0);
    for (const hooks of lifecycles('worker')) assert.deepEqual(hooks, {postStart: {exec: {command: ['/bin/true']}}});
});

test('as many old revisions are kept as asked for, none included', () => {
    const limits = (objects) => Object.fromEntries(objects.filter(({kind}) => ['Deployment', 'StatefulSet'].includes(kind))
        .map(({metadata, spec}) => [metadata.labels['app.kubernetes.io/component'], spec.revisionHistoryLimit]));
    assert.equal(limits(hatches).coordinator, 3);
    assert.equal(limits(hatches).worker, 0);
    assert.equal(limits(production).coordinator, 10);
});

test('a registry stands in front of the image, and the global one wins', async () => {
    const image = async (changes) => ownContainersOf(podsOf(await render(merged(values('minimal'), changes)))
        .find(({component}) => component === 'coordinator'))[0].image;
    assert.match(await image({}), /^evalfleet:/);
    assert.match(await image({image: {registry: 'mirror.internal:5000/a'}}), /^mirror\.internal:5000\/a\/evalfleet:/);
    assert.match(await image({image: {registry: 'one.internal'}, global: {imageRegistry: 'two.internal'}}), /^two\.internal\/evalfleet:/);
});

test('the chart says where it comes from, what changed and under which licence', () => {
    const about = yaml.parse(text('Chart.yaml'));
    for (const key of ['home', 'sources', 'icon', 'maintainers', 'keywords']) assert.ok(about[key]?.length > 0, key);
    const icon = readFileSync(join(chart, '../../coordinator/web/pages/icon.svg'));
    assert.equal(about.icon, `data:image/svg+xml;base64,${icon.toString('base64')}`, 'the icon of the pages');
    for (const change of yaml.parse(about.annotations['artifacthub.io/changes']))
        assert.match(`${change.kind}: ${change.description}`, /^(added|changed|fixed|removed|deprecated|security): ./);
    const [image] = yaml.parse(about.annotations['artifacthub.io/images']);
    assert.equal(image.image, `evalfleet:${about.appVersion}`);
    for (const link of [about.home, ...about.sources, ...yaml.parse(about.annotations['artifacthub.io/links']).map(({url}) => url)])
        assert.ok(existsSync(join(chart, link.replace(/^file:/, ''))), link);
    assert.equal(text('LICENSE'), readFileSync(join(chart, '../../LICENSE'), 'utf8'));
    assert.match(text('CHANGELOG.md'), new RegExp(`^## ${about.version.replaceAll('.', '\\.')}$`, 'm'));
});
