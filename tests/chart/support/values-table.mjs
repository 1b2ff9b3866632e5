// The table of values in the chart's README, made of values.yaml and its comments. As a program it writes the table:
//   node tests/chart/support/values-table.mjs
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {chart, load} from './places.mjs';

const yaml = (await load('yaml/dist/index.js')).default;
const readme = join(chart, 'README.md');
const begin = '<!-- values: begin -->';
const end = '<!-- values: end -->';

/** The text behind `# --` in a comment, or undefined. */
function description(comment) {
    const text = comment?.split('\n\n').pop().split('\n').map((line) => line.trim()).join(' ');
    return text?.startsWith('-- ') ? text.slice(3) : undefined;
}

/** Every documented value: [{path, text, value}]; what no comment covers has no text. */
export function entries(map, path = [], first = undefined) {
    return map.items.flatMap((pair, index) => {
        const name = [...path, pair.key.value];
        // The parser gives a map the comment that stands before its first key.
        const text = description(index === 0 ? pair.key.commentBefore ?? first : pair.key.commentBefore);
        if (text === undefined && yaml.isMap(pair.value) && pair.value.items.length > 0)
            return entries(pair.value, name, pair.value.commentBefore);
        return [{path: name.join('.'), text, value: pair.value.toJSON()}];
    });
}

export function allEntries() {
    const document = yaml.parseDocument(readFileSync(join(chart, 'values.yaml'), 'utf8'));
    return entries(document.contents, [], document.contents.commentBefore);
}

const cell = (text) => text.replaceAll('|', '\\|');

export function table() {
    const rows = allEntries().map(({path, text, value}) => `| \`${path}\` | \`${cell(JSON.stringify(value))}\` | ${cell(text ?? '')} |`);
    return ['| value | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function parts() {
    const text = readFileSync(readme, 'utf8');
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${readme} lacks ${begin} and ${end}`);
    return {before: text.slice(0, from + begin.length), inside: text.slice(from + begin.length, to), after: text.slice(to)};
}

export const writtenTable = () => parts().inside.trim();

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const {before, after} = parts();
    writeFileSync(readme, `${before}\n\n${table()}\n\n${after}`);
}
