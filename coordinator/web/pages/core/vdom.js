// Descriptions of elements, as plain objects. Pages return them; core/patch.js makes the document agree with them.
// Data becomes text nodes and attribute values, never markup.

/**
 * An element: h('a', {href: '/runs', class: 'chip'}, 'Runs'). Children that are null, undefined or false are left
 * out.
 */
export function h(tag, props, ...children) {
  const {key = null, ...rest} = props ?? {};
  return {tag, key, props: rest, children: flatten(children)};
}

/** A part that is built again only when `version` (compared with ===) has changed. */
export const memo = (key, version, build) => ({tag: '#memo', key, version, build});

function flatten(children) {
  const out = [];
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === true) continue;
    out.push(typeof child === 'object' ? child : {tag: '#text', key: null, text: String(child)});
  }
  return out;
}

/** All text of a description, for tests and labels. */
export function textOf(node) {
  if (node.tag === '#text') return node.text;
  if (node.tag === '#memo') return textOf(node.build());
  return node.children.map(textOf).join('');
}

/** All elements of a description for which `fits` is true. */
export function findAll(node, fits) {
  if (node.tag === '#text') return [];
  if (node.tag === '#memo') return findAll(node.build(), fits);
  const below = node.children.flatMap((child) => findAll(child, fits));
  return fits(node) ? [node, ...below] : below;
}
