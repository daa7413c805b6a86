// Draws a text with its highlights, and tells where on the screen its words are.

const MOST_REPAIRS = 20;  // of a text that the browser goes on changing

export function drawText(element, chars) {
  const unit = [0];  // where each code point starts, in the units that the browser counts
  for (const char of chars) unit.push(unit.at(-1) + char.length);
  let nodes = [];  // the text nodes on the page, with the code point each starts at
  let last = null;
  let repairs = 0;
  // A browser that translates puts other nodes in the place of these: draw the text again, and tell.
  const observer = new MutationObserver(() => {
    const isOurs = nodes.every(({ node, start, end }) => element.contains(node) && node.data === chars.slice(start, end).join(""));
    if (isOurs) return;
    document.dispatchEvent(new Event("translated"));
    if (repairs < MOST_REPAIRS) draw(last);
    repairs += 1;
  });

  function draw(state) {
    const { spans, pending, cursor } = state;
    last = state;
    observer.disconnect();
    nodes = [];
    const cuts = [0, chars.length, ...spans.flat(), ...(pending ?? []), ...(cursor ?? [])];
    const edges = [...new Set(cuts)].sort((a, b) => a - b);
    const drawn = [];
    let mark = null;
    edges.slice(1).forEach((end, i) => {
      const start = edges[i];
      const index = spans.findIndex((span) => within(start, span));
      if (index < 0) mark = null;
      else if (mark?.dataset.index !== String(index)) {
        mark = newMark(index);
        drawn.push(mark);
      }
      const piece = newPiece(start, end, { pending: within(start, pending), cursor: within(start, cursor) });
      if (mark) mark.append(piece);
      else drawn.push(piece);
    });
    element.replaceChildren(...drawn);
    observer.observe(element, { childList: true, characterData: true, subtree: true });
  }

  function newPiece(start, end, classes) {
    const node = document.createTextNode(chars.slice(start, end).join(""));
    nodes.push({ node, start, end });
    const names = Object.keys(classes).filter((name) => classes[name]);
    if (!names.length) return node;
    const span = document.createElement("span");
    span.className = names.join(" ");
    span.append(node);
    return span;
  }

  function rects({ start, end }) {
    const range = document.createRange();
    const place = (at, side) => {
      const { node, start: from } = nodes.find((n) => n.start <= at - side && n.end > at - side);
      return [node, unit[at] - unit[from]];
    };
    range.setStart(...place(start, 0));
    range.setEnd(...place(end, 1));
    return [...range.getClientRects()];
  }

  // The part of the browser's own selection that lies in the text, in code points.
  function selected() {
    const selection = document.getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    const inside = nodes.filter(({ node }) => range.intersectsNode(node));
    if (!inside.length) return null;
    const [first, last] = [inside[0], inside.at(-1)];
    const start = count(first, range.startContainer, range.startOffset) ?? first.start;
    const end = count(last, range.endContainer, range.endOffset) ?? last.end;
    return end > start ? [start, end] : null;
  }

  return { draw, rects, selected };
}

const within = (at, span) => Boolean(span) && span[0] <= at && at < span[1];

const count = ({ node, start }, container, offset) =>
  node === container ? start + Array.from(node.data.slice(0, offset)).length : null;

function newMark(index) {
  const mark = document.createElement("mark");
  mark.dataset.index = index;
  mark.dataset.number = index + 1;
  return mark;
}
