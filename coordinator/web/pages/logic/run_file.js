// The run file that the form of the submit page writes. Text is quoted as JSON, which YAML reads the same.

const quoted = (text) => JSON.stringify(text);

export function runFileOf({name, dataset, provider, model, version, judgeProvider, judge, repeats, system, template}) {
  const lines = [
    'version: 1',
    `name: ${quoted(name)}`,
    `dataset: {id: ${quoted(dataset)}}`,
    `model: {provider: ${quoted(provider)}, name: ${quoted(model)}${version ? `, version: ${quoted(version)}` : ''}}`,
    'prompt:',
    '  id: prompt',
    '  version: "1"',
  ];
  if (system) lines.push(`  system: ${quoted(system)}`);
  lines.push('  template: |-', ...template.split('\n').map((line) => `    ${line}`.trimEnd()));
  lines.push(
    `judge: {provider: ${quoted(judgeProvider || provider)}, name: ${quoted(judge)}, profile: rubric-v1}`,
    `repeats: ${Number(repeats) || 1}`,
  );
  return `${lines.join('\n')}\n`;
}

export const EXAMPLE = runFileOf({
  name: 'my-run',
  dataset: 'qa',
  provider: 'main',
  model: 'my-model',
  version: '1',
  judge: 'my-judge',
  repeats: 3,
  system: 'Answer from the context if there is one. Be brief.',
  template: '{{context}}\n\n{{task}}',
});

/** The faults of a check by line: Map line -> [messages]; those without a line are at 0. */
export function faultsByLine(errors) {
  const out = new Map();
  for (const error of errors ?? []) {
    const line = Number.isInteger(error.line) && error.line > 0 ? error.line : 0;
    out.set(line, [...(out.get(line) ?? []), error.field ? `${error.field}: ${error.message}` : error.message]);
  }
  return out;
}

/** Where a line begins and ends in a text: [begin, end]. */
export function lineSpan(text, line) {
  const lines = text.split('\n');
  const begin = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return [begin, begin + (lines[line - 1] ?? '').length];
}
