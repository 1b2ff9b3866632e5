// Hands a run in: a form that writes a run file, an editor that the server's own validator reads along, and what it
// will
// cost before the button.
import {get, post} from '../core/api.js';
import {afterPause} from '../core/later.js';
import {createLoader} from '../core/loader.js';
import {pathOf} from '../core/routes.js';
import {may} from '../core/session.js';
import {h} from '../core/vdom.js';
import {EXAMPLE, faultsByLine} from '../logic/run_file.js';
import {editor} from '../ui/editor.js';
import {empty} from '../ui/states.js';
import {submitForm} from './submit_form.js';
import {submitSide} from './submit_side.js';

const EDITOR = 'run-file';

export function submitPage(app) {
  let text = EXAMPLE;
  let busy = false;
  const check = createLoader(app.update);
  const datasets = createLoader(app.update);
  const run = () => check.load(() => post('/validate', text, {type: 'application/yaml'}));
  const later = afterPause(300, run);

  function write(next) {
    text = next;
    document.getElementById(EDITOR).value = next;
    app.update();
    run();
  }
  async function submit() {
    busy = true;
    app.update();
    try {
      const made = await post('/runs', text, {
        type: 'application/yaml',
        headers: {'Idempotency-Key': crypto.randomUUID?.() ?? String(Date.now())},
      });
      app.go(made.group_id ? pathOf('groups', made.group_id) : pathOf('runs', made.run_id));
    } catch (error) {
      app.toasts.say(error.message, 'bad');
      if (error.errors?.length) check.value = {valid: false, errors: error.errors};
    }
    busy = false;
    app.update();
  }

  datasets.load(async () => (await get('/datasets?limit=500')).datasets);
  run();
  return {
    title: 'Submit',
    stop() {
      later.cancel();
      check.drop();
      datasets.drop();
    },
    render: () =>
      h(
        'div',
        null,
        h('div', {class: 'head'}, h('h1', {tabindex: -1}, 'Submit a run')),
        !may(app.session, 'submitter')
          ? empty('Your role only reads', 'Ask for a token with the role submitter.')
          : h(
              'div',
              {class: 'submit-page'},
              h(
                'div',
                null,
                submitForm(datasets.value ?? [], write),
                editor({
                  id: EDITOR,
                  label: 'Run file',
                  text,
                  faults: faultsByLine(check.value?.errors),
                  onInput: (next) => {
                    text = next;
                    app.update();
                    later();
                  },
                }),
              ),
              submitSide({check, busy, submit, editorId: EDITOR, retry: run}),
            ),
      ),
  };
}
