// All groups: several models or prompts over the same samples.
import {get} from '../core/api.js';
import {time} from '../core/format.js';
import {createLoader} from '../core/loader.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';
import {stateChip} from '../ui/chip.js';
import {empty, shown} from '../ui/states.js';

export function groupsPage(app) {
  const loader = createLoader(app.update);
  const load = () => loader.load(() => get('/groups'));
  load();
  return {
    title: 'Groups',
    stop: () => loader.drop(),
    render: () =>
      h(
        'div',
        null,
        h('div', {class: 'head'}, h('h1', {tabindex: -1}, 'Groups')),
        h(
          'section',
          {class: 'card flush', 'aria-label': 'List of groups'},
          shown(
            loader,
            ({groups}) =>
              groups.length === 0
                ? empty('No groups yet', 'A run file with several models or prompts makes one run each, and a group.')
                : table(groups),
            load,
          ),
        ),
      ),
  };
}

function table(groups) {
  return h(
    'table',
    {class: 'cards'},
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        ['Group', 'State', 'Runs', 'Models', 'Submitted'].map((title) =>
          h('th', {scope: 'col', class: title === 'Runs' ? 'num' : null}, title),
        ),
      ),
    ),
    h(
      'tbody',
      null,
      groups.map((group) =>
        h(
          'tr',
          {key: group.group_id},
          h(
            'th',
            {scope: 'row'},
            h('a', {href: pathOf('groups', group.group_id)}, group.name || group.group_id),
            h('small', {class: 'mono'}, group.group_id),
          ),
          h('td', {'data-label': 'State'}, stateChip(group.state)),
          h('td', {class: 'num', 'data-label': 'Runs'}, group.runs),
          h(
            'td',
            {class: 'wide', 'data-label': 'Models'},
            group.models.join(', '),
            group.prompts.length > 1 && h('small', null, group.prompts.join(', ')),
          ),
          h('td', {'data-label': 'Submitted'}, time(group.submitted_at)),
        ),
      ),
    ),
  );
}
