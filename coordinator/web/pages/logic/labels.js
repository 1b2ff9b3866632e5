// Labels that people gave runs, as the API takes them in a filter: key=value.
import {writeState} from '../core/url_state.js';

/** The API takes no more at once. */
export const MOST_LABELS = 32;

/** ["branch=main", "commit=41ed580"] of a RUN, in the order of keys. */
export const labelsOf = (run) =>
  Object.entries(run.run_labels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);

/** `labels` and the one that was typed; null if it is no key=value, or one too many. */
export function withLabel(labels, text) {
  const label = text.trim();
  if (label.indexOf('=') < 1) return null;
  if (labels.includes(label)) return labels;
  return labels.length < MOST_LABELS ? [...labels, label] : null;
}

/** The query of the page of runs, narrowed by `label` besides the filters in force. */
export const labelSearch = (filters, defaults, label) =>
  writeState({...filters, label: withLabel(filters.label, label) ?? filters.label}, defaults);
