// A run of any size beside a real one: its records again and again, with other numbers, ids and texts.
import {createHash} from 'node:crypto';
import {closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync} from 'node:fs';
import {join} from 'node:path';

const WORDS =
  'river stone market signal harbour copper lantern orchard paper engine valley winter ledger cotton'.split(' ');
export const RARE = 'zanzibar-quartz';
const PIECE = 1 << 22;

function writer(file) {
  const to = openSync(file, 'w');
  const hash = createHash('sha256');
  let pending = '';
  const flush = () => {
    writeSync(to, pending);
    hash.update(pending);
    pending = '';
  };
  return {
    line(text) {
      pending += text + '\n';
      if (pending.length > PIECE) flush();
    },
    end() {
      flush();
      closeSync(to);
      return hash.digest('hex');
    },
  };
}

const textOf = (i) => Array.from({length: 24}, (_, k) => WORDS[(i * 7 + k * (3 + (i % 11))) % WORDS.length]).join(' ');

export const PHRASE = textOf(500).split(' ').slice(0, 3).join(' ');

// Files of the run as they are, with other names and sizes in them.
function adapt(text, from, to, count, oldHash, hash) {
  return text
    .replaceAll(from, to)
    .replaceAll(oldHash, hash)
    .replace(/"sample_count": ?\d+/, `"sample_count": ${count}`)
    .replace(/"repeats": ?\d+/, '"repeats": 1');
}

/** Writes `count` trials into the folder `to`, made of the run in the folder `from`. */
export function writeLargeRun(from, to, {oldId, id, count}) {
  mkdirSync(join(to, 'work'), {recursive: true});
  const records = readFileSync(join(from, 'records.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const samples = readFileSync(join(from, 'work/dataset.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const data = writer(join(to, 'work/dataset.jsonl'));
  for (let i = 0; i < count; ++i) {
    const sample = samples[i % samples.length];
    data.line(JSON.stringify({...sample, id: `s-${i}`, task: `${sample.task} (${textOf(i)})`}));
  }
  const hash = data.end();
  const out = writer(join(to, 'records.jsonl'));
  for (let i = 0; i < count; ++i) {
    const record = records[i % records.length];
    const rare = i === count - 1 ? ` ${RARE}` : '';
    out.line(
      JSON.stringify({
        ...record,
        run_id: id,
        sample_index: i,
        sample_id: `s-${i}`,
        repeat: 1,
        answer: record.answer === null ? null : `${record.answer} ${textOf(i + 1)}${rare}`,
        latency_e2e_ms: 20 + ((i * 7919) % 4000),
      }),
    );
  }
  out.end();
  const oldHash = JSON.parse(readFileSync(join(from, 'run.json'), 'utf8')).dataset_hash;
  for (const name of ['run.json', 'summary.json', 'work/spec.json', 'work/phase'])
    writeFileSync(join(to, name), adapt(readFileSync(join(from, name), 'utf8'), oldId, id, count, oldHash, hash));
}
