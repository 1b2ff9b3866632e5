// Comparisons as the page shows them: pure functions over replies of the API.
import {words} from '../core/format.js';

/** {base, candidates} of the query of the page: ?base=A&candidate=B,C */
export function chosenRuns(search) {
  const query = new URLSearchParams(search);
  const candidates = query
    .getAll('candidate')
    .flatMap((one) => one.split(','))
    .filter((one) => one !== '');
  return {base: query.get('base') ?? '', candidates: [...new Set(candidates)]};
}

export function compareQuery({base, candidates}) {
  const query = new URLSearchParams();
  if (base) query.set('base', base);
  const rest = candidates
    .filter((one) => one && one !== base)
    .map(encodeURIComponent)
    .join(',');
  const head = query.toString();
  return head || rest ? `?${[head, rest && `candidate=${rest}`].filter(Boolean).join('&')}` : '';
}

const LOOKS = {worse: 'bad', better: 'good', no_worse: 'good'};

/** The metrics of a comparison as rows of a forest plot, by scale: {difference: [...], ratio: [...], ms: [...]}. */
export function metricRows(comparison) {
  const out = {difference: [], ratio: [], ms: []};
  for (const metric of comparison.metrics) {
    const scale = metric.scale === 'difference' && metric.name.endsWith('_ms') ? 'ms' : metric.scale;
    (out[scale] ?? out.difference).push({
      key: metric.name,
      name: words(metric.name),
      note: metric.higher_is_better ? 'higher is better' : 'lower is better',
      value: metric.difference,
      lower: metric.difference_ci95_lower,
      upper: metric.difference_ci95_upper,
      look: LOOKS[metric.verdict] ?? 'open',
      metric,
    });
  }
  return out;
}

/** What the verdict of a comparison means, in a sentence. */
export function verdictSentence(comparison) {
  const worse = comparison.metrics.filter((metric) => metric.verdict === 'worse').map((metric) => words(metric.name));
  const by = {
    worse: `Worse by more than chance explains: ${worse.join(', ')}.`,
    no_worse: 'No worse: every margin is kept, and no metric is worse.',
    nothing_found: 'No metric is worse beyond chance. That they are equal is not shown; a margin asks for it.',
    cannot_tell: 'Cannot tell: there are too few shared samples, or the runs should not be compared.',
  };
  return by[comparison.verdict] ?? words(comparison.verdict);
}

/** {id: name} of runs that are told side by side: with the model, or else the id, where names alone are the same. */
export function distinctNames(runs, ids) {
  const find = (id) => runs.find((run) => run.run_id === id);
  const forms = [
    (id) => find(id)?.name || id,
    (id) => (find(id)?.name && find(id).model ? `${find(id).name} (${find(id).model})` : id),
    (id) => (find(id)?.name ? `${find(id).name} (${id})` : id),
  ];
  const named = forms.map((form) => ids.map(form));
  const chosen = named.find((names) => new Set(names).size === new Set(ids).size) ?? named.at(-1);
  return new Map(ids.map((id, i) => [id, chosen[i]]));
}
