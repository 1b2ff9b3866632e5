// The look of a cell of the matrix: five steps from 0 to 1.
export function cellLook(score) {
  if (!Number.isFinite(score)) return '';
  return `q${Math.min(4, Math.max(0, Math.floor(score * 5)))}`;
}
