// The head of the pages of a run: where one is, its name, its state, and the way to its other pages.
import {time} from '../core/format.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';
import {isOver, verdictOf} from '../logic/runs.js';
import {stateChip, verdictChip} from '../ui/chip.js';
import {labelChips} from '../ui/labels.js';

/** here: overview or samples. */
export function runHead(app, run, here, actions) {
  const path = pathOf('runs', run.run_id);
  const tab = (name, title, href) => h('a', {key: name, href, 'aria-current': here === name ? 'page' : null}, title);
  const file = (name, title) =>
    h('a', {key: name, href: `/api/v1${path}/${name}`, target: '_blank', rel: 'noopener'}, `${title} ↗`);
  return h(
    'div',
    {key: 'head'},
    h(
      'nav',
      {class: 'crumbs', 'aria-label': 'Where this is'},
      h('a', {href: '/runs'}, 'Runs'),
      h('span', null, '/'),
      run.group_id && [
        h('a', {key: 'group', href: pathOf('groups', run.group_id)}, `group ${run.group_id}`),
        h('span', {key: 's'}, '/'),
      ],
      h('span', {class: 'mono'}, run.run_id),
    ),
    h(
      'div',
      {class: 'head'},
      h('h1', {tabindex: -1}, run.name || run.run_id),
      stateChip(run.state),
      verdictChip(verdictOf(run)),
      h('span', {class: 'spring'}),
      actions,
    ),
    h(
      'p',
      {class: 'note'},
      run.model,
      ' · ',
      run.prompt,
      ' · dataset ',
      run.dataset_id,
      ' · judge ',
      run.judge ?? '–',
      ' · submitted ',
      time(run.submitted_at),
      ' UTC',
      run.submitted_by ? ` by ${run.submitted_by}` : '',
    ),
    run.description && h('p', {class: 'description', key: 'description'}, run.description),
    labelChips(run, (label) => `/runs?${new URLSearchParams({label})}`),
    h(
      'nav',
      {class: 'tabs', 'aria-label': 'This run'},
      tab('overview', 'Overview', path),
      tab('samples', 'Samples', `${path}/samples`),
      run.name && tab('trend', 'Trend', `/trends?name=${encodeURIComponent(run.name)}`),
      isOver(run) &&
        run.state !== 'failed' && [
          file('report.html', 'Report'),
          file('records.jsonl', 'Records'),
          file('junit.xml', 'JUnit'),
        ],
    ),
  );
}
