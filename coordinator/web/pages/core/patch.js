// Makes the document agree with a description (core/vdom.js), touching only what differs: focus, scroll positions,
// selections and opened details survive, and nothing jumps while figures change.

const SVG = 'http://www.w3.org/2000/svg';
const AS_PROPERTY = new Set([
  'value',
  'checked',
  'selected',
  'indeterminate',
  'disabled',
  'hidden',
  'open',
  'tabIndex',
]);

/** Shows descriptions in `container`. */
export function createRoot(container) {
  let shown = null;
  return {
    render(node) {
      if (shown === null) {
        shown = create(node, false);
        container.replaceChildren(shown.dom);
      } else {
        const before = shown.dom;
        shown = patch(shown, node, false);
        if (shown.dom !== before) before.replaceWith(shown.dom);
      }
    },
    clear() {
      if (shown) discard(shown);
      shown = null;
      container.replaceChildren();
    },
  };
}

// An instance is {node, dom, children, cleanup}: what is shown, and where.
function create(node, inSvg) {
  if (node.tag === '#memo') return {...create(node.build(), inSvg), memo: node};
  if (node.tag === '#text') return {node, dom: document.createTextNode(node.text), children: []};
  const isSvg = inSvg || node.tag === 'svg';
  const dom = isSvg ? document.createElementNS(SVG, node.tag) : document.createElement(node.tag);
  const children = node.children.map((child) => create(child, isSvg));
  for (const child of children) dom.append(child.dom);
  setProps(dom, {}, node.props);
  const cleanup = node.props.mount?.(dom);
  return {node, dom, children, cleanup};
}

function patch(shown, node, inSvg) {
  if (node.tag === '#memo') {
    if (shown.memo && shown.memo.version === node.version) return shown;
    return {...patch({...shown, memo: null}, node.build(), inSvg), memo: node};
  }
  if (shown.node.tag !== node.tag) {
    discard(shown);
    return create(node, inSvg);
  }
  if (node.tag === '#text') {
    if (shown.node.text !== node.text) shown.dom.data = node.text;
    return {...shown, node, memo: null};
  }
  setProps(shown.dom, shown.node.props, node.props);
  // What a mounted element holds is its owner's business.
  const children = node.props.mount
    ? shown.children
    : patchChildren(shown.dom, shown.children, node.children, inSvg || node.tag === 'svg');
  return {...shown, node, children, memo: null};
}

function patchChildren(dom, before, wanted, inSvg) {
  const keyed = new Map(before.filter((child) => keyOf(child) !== null).map((child) => [keyOf(child), child]));
  const plain = before.filter((child) => keyOf(child) === null);
  const used = new Set();
  const after = wanted.map((node) => {
    const match = node.key !== null ? keyed.get(node.key) : plain.shift();
    if (!match || used.has(match)) return create(node, inSvg);
    used.add(match);
    const patched = patch(match, node, inSvg);
    if (patched.dom !== match.dom) match.dom.replaceWith(patched.dom);
    return patched;
  });
  for (const child of before) {
    if (used.has(child)) continue;
    discard(child);
    child.dom.remove();
  }
  after.forEach((child, place) => {
    const there = dom.childNodes[place] ?? null;
    if (there !== child.dom) dom.insertBefore(child.dom, there);
  });
  return after;
}

const keyOf = (shown) => (shown.memo ? shown.memo.key : shown.node.key);

function discard(shown) {
  if (typeof shown.cleanup === 'function') shown.cleanup();
  shown.children.forEach(discard);
}

function setProps(dom, before, wanted) {
  for (const name of Object.keys(before)) if (!(name in wanted)) setProp(dom, name, before[name], null);
  for (const [name, value] of Object.entries(wanted)) {
    if (name !== 'mount') setProp(dom, name, before[name], value);
  }
}

function setProp(dom, name, before, value) {
  if (name.startsWith('on')) dom[name] = value;
  else if (name === 'style') setStyle(dom, before ?? {}, value ?? {});
  else if (AS_PROPERTY.has(name)) setProperty(dom, name, value);
  else if (before !== value) setAttribute(dom, name, value);
}

// What somebody is typing or choosing is not taken from them.
function setProperty(dom, name, value) {
  if (name === 'value' && dom === document.activeElement) return;
  const wanted = value ?? (name === 'value' ? '' : false);
  if (dom[name] !== wanted) dom[name] = wanted;
}

function setAttribute(dom, name, value) {
  if (value === null || value === undefined || value === false) dom.removeAttribute(name);
  else dom.setAttribute(name, value === true ? '' : value);
}

// By the object model: the policy of the pages forbids style attributes.
function setStyle(dom, before, value) {
  for (const name of Object.keys(before)) if (!(name in value)) dom.style.removeProperty(name);
  for (const [name, one] of Object.entries(value)) if (before[name] !== one) dom.style.setProperty(name, one);
}
