// Draws a text with its highlights, and tells where on the screen its words are.

const MOST_REPAIRS = 20;  // of a text that the browser goes on changing

export function drawText(element, chars) {
  const unit = [0];  // where each code point starts, in the units that the browser counts
  for (const char of chars) unit.push(unit.at(-1) + char.length);
  // What the element holds: one text, or a text with markup. A bare CR is no character of a page.
  const plain = document.createTextNode(chars.join(""));
  const blank = element.textContent === plain.data ? [...element.childNodes].map((node) => node.cloneNode(true)) : [plain];
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
    element.replaceChildren(...blank.map((node) => node.cloneNode(true)));
    const cuts = [...spans.flat(), ...(pending ?? []), ...(cursor ?? [])];
    let start = 0;
    for (const text of textsIn(element)) {
      const end = start + Array.from(text.data).length;
      const between = text.data.trim() === "" && blank.length > 1;  // blocks, which take no marks
      const edges = [...new Set([start, ...(between ? [] : cuts.filter((at) => start < at && at < end)), end])];
      text.replaceWith(...pieces(edges.sort((a, b) => a - b), between ? {} : state));
      start = end;
    }
    observer.observe(element, { childList: true, characterData: true, subtree: true });
  }

  // What takes the place of one text node.
  function pieces(edges, { spans = [], pending, cursor }) {
    const drawn = [];
    let mark = null;
    edges.slice(1).forEach((end, i) => {
      const start = edges[i];
      const index = spans.findIndex((span) => within(start, span));
      if (index < 0) mark = null;
      else if (mark?.dataset.index !== String(index)) {
        mark = newMark(index, spans[index][1] <= edges.at(-1));
        drawn.push(mark);
      }
      const piece = newPiece(start, end, { pending: within(start, pending), cursor: within(start, cursor) });
      if (mark) mark.append(piece);
      else drawn.push(piece);
    });
    return drawn;
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

// A highlight over several text nodes has its number at its end.
function newMark(index, ends) {
  const mark = document.createElement("mark");
  mark.dataset.index = index;
  mark.dataset.number = ends ? index + 1 : "";
  return mark;
}

function textsIn(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
}
