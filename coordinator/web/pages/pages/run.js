// One run, while it runs and after: gates forming with their intervals, flow, charts over time, then everything known.
import {get} from '../core/api.js';
import {repeat} from '../core/later.js';
import {openStream} from '../core/live.js';
import {createLoader} from '../core/loader.js';
import {pathOf} from '../core/routes.js';
import {h} from '../core/vdom.js';
import {isOver} from '../logic/runs.js';
import {shownPage} from '../ui/states.js';
import {runActions} from './run_actions.js';
import {agreementCard} from './run_agreement.js';
import {flowCard, throttleBanners} from './run_flow.js';
import {gateCards, verdictBanner} from './run_gates.js';
import {runHead} from './run_head.js';
import {metadataCard} from './run_metadata.js';
import {resultCards} from './run_results.js';
import {sliceCard} from './run_slices.js';
import {timelineCard} from './run_timeline.js';

const EVERY_MS = 2000;

export function runPage(app, {id}) {
  const path = pathOf('runs', id);
  const parts = {};
  for (const name of ['run', 'live', 'timeline', 'summary', 'metadata', 'labels'])
    parts[name] = createLoader(app.update);
  let stream = null;
  let endPolling = () => {};

  const load = (name, below) => parts[name].load(() => get(`${path}${below}`));
  const loadLive = () => Promise.all([load('live', '/live'), load('timeline', '/timeline')]);
  const loadResults = () => {
    load('summary', '/summary');
    load('labels', '/labels');
  };

  function onEnd(run) {
    onRun(run);
    stream.close();
    endPolling();
    app.setLink('none');
    app.announce(`Run ${run.name || id} is ${run.state}.`);
    load('run', '');
    load('metadata', '/metadata');
    loadLive();
    loadResults();
  }
  function onRun(run) {
    parts.run.value = {...parts.run.value, ...run};
    app.update();
  }

  async function start() {
    await load('run', '');
    load('metadata', '/metadata');
    if (!parts.run.value) return;
    if (isOver(parts.run.value)) {
      loadLive();
      loadResults();
      return;
    }
    endPolling = repeat(EVERY_MS, loadLive);
    stream = openStream(`${path}/events`, {
      events: {progress: onRun, end: onEnd},
      onStatus: app.setLink,
      onBack: () => load('run', ''),
    });
  }
  start();

  return {
    get title() {
      return parts.run.value?.name || id;
    },
    stop() {
      stream?.close();
      endPolling();
      Object.values(parts).forEach((part) => part.drop());
    },
    render: () => shownPage(parts.run, `Run ${id}`, (run) => body(app, run, parts, start), start),
  };
}

function body(app, run, parts, reload) {
  const summary = isOver(run) ? parts.summary.value : null;
  const live = parts.live.value;
  return h(
    'div',
    null,
    runHead(app, run, 'overview', runActions(app, run, reload)),
    throttleBanners(run, live),
    verdictBanner(run, summary),
    live && gateCards(live, summary),
    flowCard(run, live),
    timelineCard(parts.timeline.value, summary),
    summary && resultCards(run, summary),
    summary && sliceCard(run, summary),
    summary && parts.labels.value && agreementCard(run, parts.labels.value),
    parts.metadata.value && metadataCard(parts.metadata.value, summary),
  );
}
