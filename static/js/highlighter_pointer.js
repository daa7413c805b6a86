// Highlighting with a mouse, a pen or a finger.

export function startPointer({ element, words, rects, choose, add, removeAt, pending, selected, signal }) {
  let dragging = false;
  let done = false;  // the drag was taken: the click that ends it means nothing more
  let removed = false;  // a first click that removed something is not half of a double click

  element.addEventListener("mousedown", (event) => {
    if (event.button !== 0) return;
    dragging = true;
    done = false;
    if (event.detail < 2) removed = false;
  });

  // Anywhere on the page: a drag that is released outside of the text counts.
  document.addEventListener("mouseup", (event) => {
    if (!dragging) return;
    dragging = false;
    const span = selected();
    if (!span) return;
    done = true;
    document.getSelection().removeAllRanges();
    if (!(removed && event.detail > 1)) add(span);
  }, { signal });

  element.addEventListener("click", (event) => {
    if (done) return;
    const mark = pending() ? null : event.target.closest("mark");
    removed = mark !== null;
    if (mark) return removeAt(Number(mark.dataset.index));
    const index = nearest(words(), rects, event.clientX, event.clientY);
    if (index !== null) choose(index);
  });
}

// The word at a point of the screen; null where the next one is more than a line away.
export function nearest(words, rects, x, y) {
  let best = { index: null, distance: Infinity };
  words.forEach((word, index) => {
    for (const rect of rects(word)) {
      const aside = Math.max(rect.left - x, 0, x - rect.right);
      const above = Math.max(rect.top - y, 0, y - rect.bottom);
      const distance = Math.hypot(aside, above);
      if (distance < best.distance && distance < 1.5 * rect.height) best = { index, distance };
    }
  });
  return best.index;
}
