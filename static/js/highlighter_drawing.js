// Draws a text with its highlights, and tells where on the screen its words are.

export function drawText(element, chars) {
  const unit = [0];  // where each code point starts, in the units that the browser counts
  for (const char of chars) unit.push(unit.at(-1) + char.length);
  let nodes = [];  // the text nodes on the page, with the code point each starts at

  function draw({ spans, pending, cursor }) {
    nodes = [];
    const cuts = [0, chars.length, ...spans.flat(), ...(pending ?? []), ...(cursor ?? [])];
    const edges = [...new Set(cuts)].sort((a, b) => a - b);
    const drawn = [];
    let mark = null;
    edges.slice(1).forEach((end, i) => {
      const start = edges[i];
      const index = spans.findIndex((span) => within(start, span));
      if (index < 0) mark = null;
      else if (mark?.dataset.index !== String(index)) drawn.push(mark = newMark(index));
      const piece = newPiece(start, end, { pending: within(start, pending), cursor: within(start, cursor) });
      if (mark) mark.append(piece);
      else drawn.push(piece);
    });
    element.replaceChildren(...drawn);
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
    if (!range.intersectsNode(element)) return null;
    const inside = document.createRange();
    inside.selectNodeContents(element);
    const before = inside.cloneRange();
    if (range.compareBoundaryPoints(Range.START_TO_START, inside) > 0) {
      inside.setStart(range.startContainer, range.startOffset);
    }
    if (range.compareBoundaryPoints(Range.END_TO_END, inside) < 0) {
      inside.setEnd(range.endContainer, range.endOffset);
    }
    before.setEnd(inside.startContainer, inside.startOffset);
    const start = count(before);
    const end = start + count(inside);
    return end > start ? [start, end] : null;
  }

  return { draw, rects, selected };
}

const within = (at, span) => Boolean(span) && span[0] <= at && at < span[1];

const count = (range) => Array.from(range.toString()).length;

function newMark(index) {
  const mark = document.createElement("mark");
  mark.dataset.index = index;
  mark.dataset.number = index + 1;
  return mark;
}
