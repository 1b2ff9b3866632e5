// The runbooks, as they are in the documentation of this build; warnings of the fleet's page lead here.
import {createLoader} from '../core/loader.js';
import {h} from '../core/vdom.js';
import {blocksOf, partsOf} from '../logic/markdown.js';
import {shown} from '../ui/states.js';

export function runbooksPage(app) {
  const loader = createLoader(app.update);
  const load = async () => {
    await loader.load(async () => {
      const reply = await fetch(new URL('../docs/runbooks.md', import.meta.url));
      if (!reply.ok)
        throw Object.assign(new Error('The runbooks are not part of this build.'), {status: reply.status});
      return blocksOf(await reply.text());
    });
    queueMicrotask(() => document.getElementById(location.hash.slice(1))?.scrollIntoView());
  };
  load();
  return {
    title: 'Runbooks',
    stop: () => loader.drop(),
    render: () =>
      h(
        'div',
        {class: 'runbook'},
        h('h1', {tabindex: -1}, 'Runbooks'),
        shown(loader, (blocks) => h('div', null, blocks.filter((one) => one.kind !== 'h1').map(block)), load),
      ),
  };
}

function block(one) {
  if (one.items)
    return h(
      one.kind,
      null,
      one.items.map((item) => h('li', null, line(item))),
    );
  if (one.kind === 'pre') return h('pre', null, one.text);
  return h(one.kind, one.kind === 'h2' ? {id: one.text} : null, line(one.text));
}

// Links to other documents are shown as their text: those are not served here.
const line = (text) =>
  partsOf(text).map((part) => {
    if (part.kind === 'link' && part.target.startsWith('#')) return h('a', {href: `#${part.text}`}, part.text);
    return part.kind === 'text' || part.kind === 'link' ? part.text : h(part.kind, null, part.text);
  });
