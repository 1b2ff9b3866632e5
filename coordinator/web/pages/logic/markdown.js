// The little Markdown of the runbooks as blocks: headings, paragraphs, lists, code. Pure; ui/markdown.js shows them.

/** [{kind: 'h1'..'h3' | 'p' | 'ul' | 'ol' | 'pre', text | items}] */
export function blocksOf(source) {
  const out = [];
  let list = null;
  let code = null;
  let paragraph = null;
  const end = () => { list = null; paragraph = null; };
  for (const line of source.split('\n')) {
    if (code) {
      if (line.startsWith('```')) code = null;
      else code.text += `${line}\n`;
      continue;
    }
    const heading = /^(#{1,3})\s+(.*)$/.exec(line);
    const item = /^\s*(?:([-*])|(\d+)\.)\s+(.*)$/.exec(line);
    if (line.startsWith('```')) { end(); code = {kind: 'pre', text: ''}; out.push(code); }
    else if (heading) { end(); out.push({kind: `h${heading[1].length}`, text: heading[2]}); }
    else if (item) {
      const kind = item[1] ? 'ul' : 'ol';
      if (list?.kind !== kind) { end(); list = {kind, items: []}; out.push(list); }
      list.items.push(item[3]);
    } else if (line.trim() === '') end();
    else if (list && /^\s/.test(line)) list.items.push(`${list.items.pop()} ${line.trim()}`);
    else if (paragraph) paragraph.text += ` ${line.trim()}`;
    else { end(); paragraph = {kind: 'p', text: line.trim()}; out.push(paragraph); }
  }
  return out;
}

/** The inline parts of a line: [{kind: 'text' | 'code' | 'link' | 'strong', text, target?}] */
export function partsOf(text) {
  const out = [];
  const pattern = /`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)|\*\*([^*]+)\*\*/g;
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) out.push({kind: 'text', text: text.slice(at, match.index)});
    if (match[1]) out.push({kind: 'code', text: match[1]});
    else if (match[2]) out.push({kind: 'link', text: match[2], target: match[3]});
    else out.push({kind: 'strong', text: match[4]});
    at = match.index + match[0].length;
  }
  if (at < text.length) out.push({kind: 'text', text: text.slice(at)});
  return out;
}
