// The labels of a run as chips; each leads to the runs that have it.
import {h} from '../core/vdom.js';
import {labelsOf} from '../logic/labels.js';

/** At most `most` of them, the others in the title of how many there are more. null without labels. */
export function labelChips(run, addressOf, most = Infinity) {
  const labels = labelsOf(run);
  if (labels.length === 0) return null;
  const rest = labels.slice(most);
  return h(
    'span',
    {class: 'labels', key: 'labels'},
    labels
      .slice(0, most)
      .map((label) =>
        h('a', {class: 'chip label', key: label, href: addressOf(label), title: `Runs with ${label}`}, label),
      ),
    rest.length > 0 && h('span', {class: 'chip label', key: 'more', title: rest.join('\n')}, `+${rest.length}`),
  );
}
