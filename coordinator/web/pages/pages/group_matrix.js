// Samples by (model, prompt): each cell the mean score of its repeats, in words and colour.
import {get} from '../core/api.js';
import {count, score} from '../core/format.js';
import {createLoader} from '../core/loader.js';
import {pathOf} from '../core/routes.js';
import {queryOf, readState, writeState} from '../core/url_state.js';
import {h} from '../core/vdom.js';
import {cellLook} from '../logic/matrix.js';
import {checkField} from '../ui/fields.js';
import {empty, shown} from '../ui/states.js';

const PAGE = 100;
const DEFAULTS = {differ: false};

export function createMatrix(app, id) {
  const loader = createLoader(app.update);
  let state = readState(location.search, DEFAULTS);
  const ask = (offset) => get(`${pathOf('groups', id)}/matrix${queryOf({...state, offset, limit: PAGE})}`);
  const load = () => loader.load(() => ask(0));
  const more = () =>
    loader.load(async () => {
      const before = loader.value;
      const next = await ask(before.rows.length);
      return {...next, rows: [...before.rows, ...next.rows]};
    });
  load();
  return {
    load,
    stop: () => loader.drop(),
    onQuery() {
      state = readState(location.search, DEFAULTS);
      load();
    },
    render: () =>
      h(
        'section',
        {class: 'card', key: 'matrix'},
        h('h2', null, 'Samples'),
        checkField({
          label: 'only where they differ',
          checked: state.differ,
          onChange: (differ) => app.go(`${pathOf('groups', id)}${writeState({differ}, DEFAULTS)}`, {replace: true}),
        }),
        shown(
          loader,
          (value) =>
            value.rows.length === 0
              ? empty(state.differ ? 'They differ nowhere' : 'No samples yet', '')
              : h(
                  'div',
                  null,
                  table(value),
                  value.rows.length < (value.total ?? 0) &&
                    h('button', {type: 'button', key: 'more', onclick: more}, 'Show more'),
                ),
          load,
        ),
      ),
  };
}

function table({columns, rows, total}) {
  return h(
    'div',
    {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Samples by model and prompt'},
    h(
      'table',
      {class: 'matrix'},
      h('caption', {class: 'note'}, `${count(total)} samples; mean score of the repeats, ✓ where all passed`),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', {scope: 'col'}, 'Sample'),
          columns.map((column) =>
            h('th', {scope: 'col', key: column.run_id}, column.model, h('small', null, column.prompt)),
          ),
        ),
      ),
      h(
        'tbody',
        null,
        rows.map((row) =>
          h(
            'tr',
            {key: row.sample_index},
            h('th', {scope: 'row'}, row.sample_id || row.sample_index),
            row.cells.map((cell, i) =>
              h(
                'td',
                {key: i},
                cell
                  ? h(
                      'a',
                      {
                        class: `cell ${cellLook(cell.score)}`,
                        href: pathOf('runs', columns[i].run_id, 'samples', row.sample_index),
                      },
                      score(cell.score, 2),
                      cell.passed ? ' ✓' : ' ✗',
                    )
                  : '–',
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
