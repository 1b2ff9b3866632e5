// Pause, resume, cancel, retry, rejudge, baseline, delete: those that the state and the role allow, each asked for
// once more.
import {post, put, remove} from '../core/api.js';
import {pathOf} from '../core/routes.js';
import {may} from '../core/session.js';
import {h} from '../core/vdom.js';
import {isOver} from '../logic/runs.js';
import {ask, confirm} from '../ui/dialog.js';

/** Names of what may be done with a run in its state. */
export function actionsFor(run, session) {
  const allowed = [];
  if (may(session, 'submitter')) {
    if (run.state === 'running' || run.state === 'queued') allowed.push('pause');
    if (run.state === 'paused') allowed.push('resume');
    if (!isOver(run) && run.state !== 'cancelling') allowed.push('cancel');
    if (isOver(run) && run.state !== 'failed') allowed.push('retry', 'rejudge');
    if (run.state === 'done') allowed.push('baseline');
  }
  if (may(session, 'admin') && isOver(run)) allowed.push('delete');
  return allowed;
}

const TITLES = {
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel',
  retry: 'Retry',
  rejudge: 'Rejudge',
  baseline: 'Make baseline',
  delete: 'Delete',
};

export function runActions(app, run, reload) {
  const path = pathOf('runs', run.run_id);
  const attempt = async (work, said) => {
    try {
      await work();
      if (said) app.toasts.say(said);
      reload();
    } catch (error) {
      app.toasts.say(
        [error.message, ...(error.errors ?? []).map((one) => `${one.field}: ${one.message}`)].join(' '),
        'bad',
      );
    }
  };
  const toNew = async (work) => {
    const {run_id: id} = await work;
    app.go(pathOf('runs', id));
  };
  const name = run.name || run.run_id;
  const doing = {
    pause: () => attempt(() => post(`${path}/pause`), 'Paused. Calls in flight are finished.'),
    resume: () => attempt(() => post(`${path}/resume`), 'Resumed'),
    cancel: async () =>
      (await confirm({
        title: `Cancel ${name}?`,
        action: 'Cancel the run',
        danger: true,
        text: 'Trials that are not done are left out. What is done is kept and reported.',
      })) && attempt(() => post(`${path}/cancel`)),
    retry: async () =>
      (await confirm({
        title: `Retry ${name}?`,
        action: 'Retry',
        text: 'Makes a new run of the trials that failed for reasons of infrastructure; all others are taken over.',
      })) && attempt(() => toNew(post(`${path}/retry`))),
    rejudge: async () => {
      const answer = await ask({title: `Judge ${name} anew`, action: 'Rejudge', body: judgeFields});
      if (answer) attempt(() => toNew(post(`${path}/rejudge`, rejudgeBody(answer))));
    },
    baseline: async () => {
      const answer = await ask({
        title: 'Make this run a baseline',
        action: 'Set baseline',
        body: () =>
          h(
            'label',
            null,
            'Name of the baseline',
            h('input', {
              name: 'name',
              required: true,
              maxlength: 64,
              pattern: '[A-Za-z0-9_\\-][A-Za-z0-9._\\-]*',
              value: run.name ?? '',
            }),
          ),
      });
      if (answer)
        attempt(() => put(pathOf('baselines', answer.name), {run_id: run.run_id}), `${answer.name} is this run now`);
    },
    delete: async () => {
      if (
        !(await confirm({
          title: `Delete ${name}?`,
          action: 'Delete for good',
          danger: true,
          text: 'Removes the run with its records and reports. This cannot be undone.',
        }))
      )
        return;
      attempt(async () => {
        await remove(path);
        app.go('/runs');
      }, 'Deleted');
    },
  };
  return h(
    'div',
    {class: 'tools', role: 'group', 'aria-label': 'Actions'},
    actionsFor(run, app.session).map((action) =>
      h(
        'button',
        {
          type: 'button',
          key: action,
          class: action === 'delete' || action === 'cancel' ? 'danger' : null,
          onclick: doing[action],
        },
        TITLES[action],
      ),
    ),
  );
}

const judgeFields = () =>
  h(
    'div',
    null,
    h('p', {class: 'note'}, 'Makes a new run from the stored answers, without a model call.'),
    h('label', null, 'Provider', h('input', {name: 'provider', required: true, maxlength: 64})),
    h('label', null, 'Judge model', h('input', {name: 'model', required: true, maxlength: 200})),
    h('label', null, 'Version', h('input', {name: 'version', maxlength: 200})),
  );

export const rejudgeBody = ({provider, model, version}) => ({
  judge: {provider: provider.trim(), name: model.trim(), ...(version.trim() ? {version: version.trim()} : {})},
});
