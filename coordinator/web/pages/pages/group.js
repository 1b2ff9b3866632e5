// A group: its ranking with significance, and the matrix of samples by model and prompt.
import {get} from '../core/api.js';
import {repeat} from '../core/later.js';
import {createLoader} from '../core/loader.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';
import {stateChip} from '../ui/chip.js';
import {shownPage} from '../ui/states.js';
import {createMatrix} from './group_matrix.js';
import {rankingCard} from './group_ranking.js';

const EVERY_MS = 3000;

export function groupPage(app, {id}) {
  const group = createLoader(app.update);
  const load = () => group.load(() => get(pathOf('groups', id)));
  const matrix = createMatrix(app, id);
  // Until it is over; the ranking comes with its end.
  const end = repeat(EVERY_MS, async () => {
    if (group.value?.state === 'done' && group.value.summary) return;
    const was = group.value?.state;
    await load();
    if (group.value?.state === 'done' && was !== 'done') matrix.load();
  });
  return {
    title: `Group ${id}`,
    stop() {
      end();
      group.drop();
      matrix.stop();
    },
    onQuery: () => matrix.onQuery(),
    render: () =>
      shownPage(
        group,
        `Group ${id}`,
        (value) =>
          h(
            'div',
            null,
            h(
              'nav',
              {class: 'crumbs', 'aria-label': 'Where this is'},
              h('a', {href: '/groups'}, 'Groups'),
              h('span', null, '/'),
              h('span', {class: 'mono'}, id),
            ),
            h(
              'div',
              {class: 'head'},
              h('h1', {tabindex: -1}, value.runs[0]?.name || id),
              stateChip(value.state),
              h('span', {class: 'spring'}),
              value.state === 'done' &&
                h(
                  'a',
                  {class: 'button', key: 'report', href: reportOf(id), target: '_blank', rel: 'noopener'},
                  'Report ↗',
                ),
              value.runs.length > 1 &&
                value.state === 'done' &&
                h('a', {class: 'button', key: 'all', href: compareAll(value.runs)}, 'Compare all'),
            ),
            rankingCard(value),
            matrix.render(),
          ),
        load,
      ),
  };
}

const compareAll = ([base, ...rest]) =>
  `/compare?base=${encodeURIComponent(base.run_id)}&candidate=${rest
    .slice(0, 6)
    .map((run) => encodeURIComponent(run.run_id))
    .join(',')}`;

const reportOf = (id) => `/api/v1${pathOf('groups', id)}/report.html`;
