// Where the time of one trial went: its phases one after the other on one axis.
import {h} from '../core/vdom.js';
import {milliseconds} from '../core/format.js';
import {waterfallOf} from '../logic/waterfall.js';

export function waterfall(record) {
  const {phases, total, bound} = waterfallOf(record);
  if (phases.length === 0) return null;
  return h('div', {class: 'waterfall'},
    h('table', null, h('caption', null, 'Where the time went'),
      h('tbody', null, phases.map((phase) => h('tr', {key: phase.name},
        h('th', {scope: 'row', title: phase.about}, phase.title),
        h('td', {class: 'track'}, h('span', {class: `phase ${phase.name}`, style: {
          left: `${(100 * phase.begin / total).toFixed(2)}%`,
          width: `${Math.max(0.6, 100 * phase.length / total).toFixed(2)}%`,
        }})),
        h('td', {class: 'num'}, milliseconds(phase.length)))))),
    h('p', {class: 'note'}, `End to end ${milliseconds(record.latency_e2e_ms)}`,
      bound === null ? ', error not known' : `, at most ${milliseconds(bound)} off`,
      record.latency_model_source ? `; model time: ${record.latency_model_source.replaceAll('_', ' ')}` : '', '.'));
}
