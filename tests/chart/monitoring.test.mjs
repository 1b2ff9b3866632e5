// Monitors, rules and dashboards. Rules and boards are plain files of the chart; here also a copy with known ones.
import assert from 'node:assert/strict';
import {cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, existsSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';

import {merged, refusal, render, renderAll, values, yaml} from './support/helm.mjs';
import {kinds, one} from './support/objects.mjs';
import {chart} from './support/places.mjs';

const rendered = await renderAll();
const production = rendered.get('production-values.yaml');

const folder = mkdtempSync(join(tmpdir(), 'evalfleet-chart-copy-'));
after(() => rmSync(folder, {recursive: true, force: true}));
cpSync(chart, folder, {recursive: true});
for (const part of ['alerts', 'dashboards']) {
    rmSync(join(folder, part), {recursive: true, force: true});
    mkdirSync(join(folder, part));
}
const description = 'Pod {{ $labels.pod }} waits for {{ $value | humanizeDuration }}.';
const rules = {groups: [{name: 'one', interval: '30s', rules: [
    {record: 'job:evalfleet_a:rate5m', expr: 'rate(evalfleet_a_total[5m])'},
    {alert: 'EvalfleetStalled', expr: 'evalfleet_a > 100000000', for: '5m', labels: {severity: 'warning'},
     annotations: {summary: 'Stalled.', description, runbook_url: 'docs/runbooks.md#evalfleetstalled'}},
    {alert: 'EvalfleetAbsent', expr: 'absent(up)', for: '1m', labels: {severity: 'critical'}, annotations: {summary: 'Absent.'}}]}]};
writeFileSync(join(folder, 'alerts/fleet_rules.yaml'), yaml.stringify(rules));
const board = '{"title": "{{ $x }}", "a": [1, 2],\n\t"b": "c"}\n';
writeFileSync(join(folder, 'dashboards/fleet_overview.json'), board);

const renderCopy = (changes) => render(merged(values('production'), changes), {folder});
const files = (part, end) => existsSync(join(chart, part)) ? readdirSync(join(chart, part)).filter((file) => file.endsWith(end)) : [];

test('monitoring is off by default', () => {
    for (const kind of ['ServiceMonitor', 'PodMonitor', 'PrometheusRule'])
        assert.deepEqual(kinds(rendered.get('minimal-values.yaml'), kind), []);
});

test('a ServiceMonitor for the coordinator, over TLS with its own authority', () => {
    const monitor = one(production, 'ServiceMonitor');
    assert.equal(monitor.metadata.labels.release, 'prometheus');
    const [endpoint] = monitor.spec.endpoints;
    assert.equal(endpoint.scheme, 'https');
    assert.equal(endpoint.tlsConfig.serverName, 'r-evalfleet-coordinator.ns.svc');
    assert.deepEqual(endpoint.tlsConfig.ca.secret, {name: 'evalfleet-tls', key: 'ca.crt'});
});

test('a ServiceMonitor with a token', () => {
    const objects = rendered.get('keda-metrics-api-values.yaml');
    assert.deepEqual(one(objects, 'ServiceMonitor').spec.endpoints[0].authorization.credentials, {name: 'evalfleet-reader', key: 'token'});
});

test('a PodMonitor for the workers of all pools', () => {
    const monitor = one(production, 'PodMonitor');
    assert.equal(monitor.spec.selector.matchLabels['evalfleet/pool'], undefined);
    assert.equal(monitor.spec.podMetricsEndpoints[0].port, 'metrics');
});

test('relabelling arrives', () => {
    const objects = rendered.get('hatches-values.yaml');
    for (const endpoint of [one(objects, 'ServiceMonitor').spec.endpoints[0], one(objects, 'PodMonitor').spec.podMetricsEndpoints[0]]) {
        assert.equal(endpoint.relabelings[0].replacement, 'b');
        assert.equal(endpoint.metricRelabelings[0].action, 'labeldrop');
    }
});

test('every rule file of the chart becomes a PrometheusRule with all its rules', () => {
    const wanted = files('alerts', '.yaml').map((file) => yaml.parse(readFileSync(join(chart, 'alerts', file), 'utf8'))).filter((file) => file.groups);
    const made = kinds(production, 'PrometheusRule');
    assert.deepEqual(made.map(({spec}) => spec.groups), wanted.map(({groups}) => groups));
});

test('every board of the chart becomes a ConfigMap with the same JSON, below the size limit', () => {
    const made = kinds(production, 'ConfigMap').filter(({metadata}) => metadata.labels.grafana_dashboard === '1');
    assert.equal(made.length, files('dashboards', '.json').length);
    for (const {data, metadata} of made) {
        const [[file, text]] = Object.entries(data);
        assert.deepEqual(JSON.parse(text), JSON.parse(readFileSync(join(chart, 'dashboards', file), 'utf8')));
        assert.ok(text.length < 900_000, file);
        assert.equal(metadata.annotations.grafana_folder, 'evalfleet');
    }
});

test('rules arrive unchanged, with their own placeholders', async () => {
    const objects = await renderCopy({});
    assert.deepEqual(one(objects, 'PrometheusRule', 'fleet-rules').spec, rules);
});

test('an alert can be changed or switched off, all can get labels and another runbook', async () => {
    const objects = await renderCopy({monitoring: {prometheusRule: {
        alertLabels: {team: 'evals'}, runbookUrl: 'https://wiki.example.com/runbooks',
        overrides: {EvalfleetStalled: {for: '20m', severity: 'info', expr: 'evalfleet_a > 5'}, EvalfleetAbsent: {enabled: false}}}}});
    const [{rules: changed}] = one(objects, 'PrometheusRule').spec.groups;
    assert.equal(changed.length, 2);
    assert.deepEqual(changed[0], rules.groups[0].rules[0]);
    assert.deepEqual(changed[1], {
        alert: 'EvalfleetStalled', expr: 'evalfleet_a > 5', for: '20m', labels: {severity: 'info', team: 'evals'},
        annotations: {summary: 'Stalled.', description, runbook_url: 'https://wiki.example.com/runbooks#evalfleetstalled'}});
});

test('a change of an alert that does not exist is refused, naming those that do', async () => {
    const text = await refusal(merged(values('production'), {monitoring: {prometheusRule: {overrides: {EvalfleetStaled: {for: '1m'}}}}}), {folder});
    assert.match(text, /overrides: found 'EvalfleetStaled', allowed: EvalfleetStalled, EvalfleetAbsent/);
});

test('a board arrives byte for byte, where Grafana looks for it', async () => {
    const objects = await renderCopy({monitoring: {dashboards: {namespace: 'grafana'}}});
    const map = one(objects, 'ConfigMap', 'board-fleet-overview');
    assert.equal(map.data['fleet_overview.json'], board);
    assert.equal(map.metadata.namespace, 'grafana');
});
