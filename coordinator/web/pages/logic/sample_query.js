// The state of the page of samples in its address, and the question to the API that it means.

export const DEFAULTS = {
  q: '',
  passed: '',
  spec_passed: '',
  failure_label: [],
  score: [],
  task_type: [],
  tag: [],
  error_kind: [],
  latency_min_ms: '',
  latency_max_ms: '',
  cost_min: '',
  repeats_disagree: false,
  judge_retried: false,
  sort: 'index',
  order: 'asc',
};

const TITLES = {
  q: 'text',
  passed: 'passed',
  spec_passed: 'passed (specification)',
  failure_label: 'failure',
  score: 'accuracy',
  task_type: 'task type',
  tag: 'tag',
  error_kind: 'error',
  latency_min_ms: 'latency from (ms)',
  latency_max_ms: 'latency to (ms)',
  cost_min: 'cost from ($)',
  repeats_disagree: 'repeats disagree',
  judge_retried: 'judge retried',
};

/** Members of the API's query; numbers that are none are left out. */
export function trialsQuery(state) {
  const number = (text) => (text !== '' && Number.isFinite(Number(text)) && Number(text) >= 0 ? text : '');
  return {
    ...state,
    failure_label: state.failure_label.join(','),
    error_kind: state.error_kind.join(','),
    score: state.score.join(','),
    latency_min_ms: number(state.latency_min_ms),
    latency_max_ms: number(state.latency_max_ms),
    cost_min: number(state.cost_min),
    sort: state.sort === 'index' ? '' : state.sort,
    order: state.order === 'asc' ? '' : state.order,
  };
}

/** The filters in force: [{name, value, text}]. */
export function activeFilters(state) {
  const out = [];
  for (const [name, fallback] of Object.entries(DEFAULTS)) {
    if (name === 'sort' || name === 'order') continue;
    const values = Array.isArray(fallback) ? state[name] : [state[name]];
    for (const value of values) {
      if (value === '' || value === false) continue;
      out.push({
        name,
        value,
        text: value === true ? TITLES[name] : `${TITLES[name]}: ${String(value).replaceAll('_', ' ')}`,
      });
    }
  }
  return out;
}

/** `state` without one filter. */
export function without(state, {name, value}) {
  const fallback = DEFAULTS[name];
  return {...state, [name]: Array.isArray(fallback) ? state[name].filter((one) => one !== value) : fallback};
}

/** Whether `page` of a search (one request reads only so much) has more behind it. */
export const goesOn = (page) => page.next_offset !== null && page.next_offset !== undefined;

/** Facets of a reply as [{name, title, values: [[value, count]...]}], the most frequent values first. */
export function facetsOf(facets, most = 12) {
  const order = ['passed', 'spec_passed', 'failure_label', 'score', 'error_kind', 'task_type', 'tag'];
  return order
    .filter((name) => facets?.[name] && Object.keys(facets[name]).length > 0)
    .map((name) => ({
      name,
      title: TITLES[name],
      values: Object.entries(facets[name])
        .sort((a, b) => b[1] - a[1])
        .slice(0, most),
    }));
}
