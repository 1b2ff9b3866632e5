// What the programs say about themselves.
import assert from 'node:assert/strict';
import {join} from 'node:path';

import {run} from './helm.mjs';
import {programs} from './places.mjs';

const helps = new Map();

/** The help of a program, or of its subcommand. */
export async function help(...command) {
    const key = command.join(' ');
    if (!helps.has(key)) {
        const {code, stdout, stderr} = await run(join(programs, command[0]), [...command.slice(1), '--help']);
        assert.equal(code, 0, `${key} --help: ${stderr}`);
        helps.set(key, stdout);
    }
    return helps.get(key);
}

/** The flags among `args` that the command does not have. */
export async function unknownFlags(command, args) {
    const text = await help(...command);
    return args.filter((one) => one.startsWith('--')).map((one) => one.split('=')[0])
        .filter((flag) => !new RegExp(`(^|[ ,])${flag}([ ,=]|$)`, 'm').test(text));
}

/** The names EVALFLEET_… that the help of the command does not have. */
export async function unknownVariables(command, names) {
    const text = await help(...command);
    return names.filter((name) => name.startsWith('EVALFLEET_') && !text.includes(name));
}
