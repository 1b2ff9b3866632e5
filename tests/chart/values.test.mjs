// values.yaml, its schema and the README say the same.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';

import {yaml} from './support/helm.mjs';
import {chart, root} from './support/places.mjs';
import {allEntries, table, writtenTable} from './support/values-table.mjs';

const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
const defaults = yaml.parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));

/** A schema with its references followed, one level deep. */
function resolved(part) {
    const target = part.$ref ?? part.allOf?.[0].$ref;
    return target ? schema.definitions[target.split('/').pop()] : part;
}

test('every value has a comment', () => {
    assert.deepEqual(allEntries().filter(({text}) => !text).map(({path}) => path), []);
});

test('the table in the README is that of values.yaml', () => {
    assert.equal(writtenTable(), table(), 'run "make chart-readme"');
});

test('every value of the schema has a default, and every default is in the schema', () => {
    const different = [];
    (function compare(part, value, path) {
        const {properties} = resolved(part);
        if (!properties || Object.keys(value ?? {}).length === 0) return;
        const names = new Set([...Object.keys(properties), ...Object.keys(value)]);
        for (const name of names) {
            const place = [...path, name];
            if (!(name in properties)) different.push(`${place.join('.')} is not in the schema`);
            else if (!(name in value)) { if (resolved(part) !== schema.definitions.probe) different.push(`${place.join('.')} has no default`); }
            else compare(properties[name], value[name], place);
        }
    })(schema, defaults, []);
    assert.deepEqual(different, []);
});

test('the schema allows no unknown value wherever it knows the values', () => {
    const open = [];
    (function visit(part, path) {
        if (part === null || typeof part !== 'object') return;
        if (part.properties && part.additionalProperties !== false) open.push(path.join('/'));
        for (const [key, value] of Object.entries(part)) visit(value, [...path, key]);
    })(schema, []);
    assert.deepEqual(open, ['properties/global'], 'global belongs to parent charts too');
});

test('names are camelCase, as helm wants them', () => {
    const names = new Set();
    (function visit(value) {
        if (value === null || typeof value !== 'object' || Array.isArray(value)) return;
        for (const [key, inner] of Object.entries(value)) { names.add(key); visit(inner); }
    })({...defaults, monitoring: {...defaults.monitoring, dashboards: {}}});
    assert.deepEqual([...names].filter((name) => !/^[a-z][a-zA-Z0-9]*$/.test(name)), []);
});

test('the chart has the version of the product, and says what it needs', () => {
    const about = yaml.parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'));
    const version = readFileSync(join(root, 'CMakeLists.txt'), 'utf8').match(/VERSION (\d+\.\d+\.\d+)\n/)[1];
    assert.equal(about.appVersion, version);
    assert.match(about.version, /^\d+\.\d+\.\d+$/);
    assert.match(about.kubeVersion, /1\.27/);
    for (const field of ['description', 'maintainers', 'keywords']) assert.ok(about[field], field);
});
