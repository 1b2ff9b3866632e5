// The fleet: workers, queues, Redis, the store, providers; and what is wrong, with the way to its runbook.
import {get} from '../core/api.js';
import {repeat} from '../core/later.js';
import {createLoader} from '../core/loader.js';
import {h} from '../core/vdom.js';
import {warningsOf} from '../logic/fleet.js';
import {shown} from '../ui/states.js';
import {healthCard, limitsCard, modelsCard, queuesCard, workersCard} from './fleet_cards.js';

const EVERY_MS = 2000;
const MODELS_EVERY_MS = 10_000;

export function fleetPage(app) {
  const workers = createLoader(app.update);
  const queues = createLoader(app.update);
  const models = createLoader(app.update);
  const load = async () => {
    await Promise.all([workers.load(() => get('/workers')), queues.load(() => get('/queues'))]);
    const isLost = [workers, queues].some((one) => one.error?.status === 0);
    app.setLink(isLost ? 'lost' : 'live');
  };
  const end = repeat(EVERY_MS, async () => {
    await load();
    for (const one of [workers, queues]) if (!one.loading && one.error && one.value) one.error = null;
  });
  const endModels = repeat(MODELS_EVERY_MS, () => models.load(() => get('/models')));
  return {
    title: 'Fleet',
    stop() {
      end();
      endModels();
      models.drop();
      workers.drop();
      queues.drop();
    },
    render: () =>
      h(
        'div',
        null,
        h(
          'div',
          {class: 'head'},
          h('h1', {tabindex: -1}, 'Fleet'),
          queues.value?.pool && h('span', {class: 'note'}, `pool ${queues.value.pool}`),
        ),
        warnings(warningsOf(workers.value?.workers, queues.value)),
        shown(queues, (value) => healthCard(value, workers.value?.workers), load),
        shown(workers, (value) => workersCard(value.workers), load),
        queues.value && limitsCard(queues.value.limits ?? []),
        models.value && modelsCard(models.value),
        queues.value && queuesCard(queues.value.runs ?? []),
      ),
  };
}

function warnings(list) {
  return h(
    'div',
    {role: 'status', key: 'warnings'},
    list.length > 0 &&
      h(
        'ul',
        {class: 'warn-list', 'aria-label': 'Warnings'},
        list.map((warning) =>
          h(
            'li',
            {class: `banner ${warning.look}`, key: warning.text},
            warning.text,
            ' ',
            h('a', {href: `/runbooks#${warning.runbook}`}, 'Runbook'),
          ),
        ),
      ),
  );
}
