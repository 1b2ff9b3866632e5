// Figures and times as people read them. What is unknown is a dash.

export const UNKNOWN = '–';
const known = (value) => typeof value === 'number' && Number.isFinite(value);

export const count = (value) => (known(value) ? Math.round(value).toLocaleString('en-US') : UNKNOWN);

/** A share as percent; never 100.0 or 0.0 for what is only nearly so. */
export function percent(value, digits = 1) {
  if (!known(value)) return UNKNOWN;
  const text = (value * 100).toFixed(digits);
  if (Number(text) === 100 && value < 1) return `>${(100 - 10 ** -digits).toFixed(digits)} %`;
  if (Number(text) === 0 && value > 0) return `<${(10 ** -digits).toFixed(digits)} %`;
  return `${text} %`;
}

export const score = (value, digits = 3) => (known(value) ? value.toFixed(digits) : UNKNOWN);

export function milliseconds(value) {
  if (!known(value)) return UNKNOWN;
  if (value === 0) return '0 ms';
  if (value < 10) return `${value.toFixed(value < 1 ? 2 : 1)} ms`;
  if (value < 1000) return `${Math.round(value)} ms`;
  return value < 60_000 ? `${(value / 1000).toFixed(2)} s` : duration(value / 1000);
}

export function duration(seconds) {
  if (!known(seconds)) return UNKNOWN;
  const whole = Math.round(seconds);
  if (whole < 60) return `${seconds < 10 ? Number(seconds.toFixed(1)) : whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`;
}

export function usd(value) {
  if (!known(value)) return UNKNOWN;
  if (value === 0) return '$0';
  if (Math.abs(value) < 0.01) return `$${value.toPrecision(2)}`;
  return `$${value.toLocaleString('en-US', {minimumFractionDigits: 2, maximumFractionDigits: 2})}`;
}

export function bytes(value) {
  if (!known(value)) return UNKNOWN;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let size = value;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    ++unit;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

export const rate = (value, unit = '/s') =>
  known(value) ? `${value < 10 ? value.toFixed(1) : count(value)}${unit}` : UNKNOWN;

/** With its sign; a ratio in percent. */
export function change(value, scale = 'difference') {
  if (!known(value)) return UNKNOWN;
  const text = scale === 'ratio' ? `${(value * 100).toFixed(1)} %` : value.toFixed(3);
  return value >= 0 ? `+${text}` : text.replace('-', '−');
}

export function pValue(value) {
  if (!known(value)) return UNKNOWN;
  return value < 0.001 ? '<0.001' : value.toFixed(3);
}

/** "2026-11-18 13:12" in UTC. */
export function time(iso) {
  const date = new Date(iso ?? NaN);
  return Number.isNaN(date.getTime()) ? UNKNOWN : date.toISOString().slice(0, 16).replace('T', ' ');
}

export function ago(iso, now = Date.now()) {
  const at = new Date(iso ?? NaN).getTime();
  if (Number.isNaN(at)) return UNKNOWN;
  const seconds = Math.max(0, (now - at) / 1000);
  if (seconds < 45) return 'just now';
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} d ago`;
}

/** A figure in its unit as the API names it: share, score, ms, usd, count. */
export function inUnit(value, unit) {
  const by = {share: percent, rate: percent, score, ms: milliseconds, milliseconds, usd, count};
  return (by[unit] ?? score)(value);
}

/** snake_case words for people. */
export const words = (name) => String(name ?? '').replaceAll('_', ' ');
