// How far people agree with the judge: Cohen's kappa with its interval, and the table behind it.
import {count, score} from '../core/format.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';

export function agreementCard(run, labels) {
  const agreement = labels.agreement ?? {};
  const n = agreement.count ?? labels.labels?.length ?? 0;
  return h('section', {class: 'card', key: 'agreement'}, h('h2', null, 'Judge and people'),
    n === 0 ? h('p', {class: 'note'}, 'Nobody has reviewed a trial of this run yet. Open a sample and say whether the judge is right.')
      : h('div', null, kappas(agreement), confusion(agreement.confusion),
        h('p', {class: 'note'}, `${count(n)} reviewed ${n === 1 ? 'trial' : 'trials'}. `,
          h('a', {href: `/api/v1${pathOf('runs', run.run_id)}/labels.jsonl`, download: `${run.run_id}-labels.jsonl`}, 'Export as a labels file'),
          ' for rejudge and derive --labels.')));
}

function kappas(agreement) {
  const one = (name, value) => value && h('div', {key: name}, h('dt', null, name), h('dd', null, score(value.kappa ?? null, 2),
    h('small', null, Number.isFinite(value.ci95_lower) ? `95 % CI ${score(value.ci95_lower, 2)} to ${score(value.ci95_upper, 2)}` : 'no interval')));
  return h('dl', {class: 'flow'}, one('Kappa, passed', agreement.passed ?? agreement), one('Kappa, accuracy', agreement.accuracy),
    one('Kappa, faithfulness', agreement.faithfulness));
}

/** confusion: rows of the judge, columns of people: {"0": {"0": n, ...}, ...} */
function confusion(table) {
  if (!table) return null;
  const rows = Object.keys(table);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(table[row])))].sort();
  return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Judge against people'}, h('table', null,
    h('caption', {class: 'note'}, 'Trials by what the judge said (rows) and people said (columns)'),
    h('thead', null, h('tr', null, h('th', {scope: 'col'}, 'Judge'), columns.map((column) => h('th', {scope: 'col', class: 'num', key: column}, column)))),
    h('tbody', null, rows.map((row) => h('tr', {key: row}, h('th', {scope: 'row'}, row),
      columns.map((column) => h('td', {class: 'num', key: column}, count(table[row][column] ?? 0))))))));
}
