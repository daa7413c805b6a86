// Highlighting whole words of a text, by mouse, touch or keys. Spans are [start, end) pairs of code
// points; `strings` are those of `annotate.instruments.base`; `changed` is called for what
// people do, not for `set`.

import { drawText } from "./highlighter_drawing.js";
import { startPointer } from "./highlighter_pointer.js";
import { fill } from "./json_data.js";
import { characters, merge, quoted, segment, snap } from "./spans.js";

// Loaded with the first key that is pressed: most people highlight by hand.
const loadKeys = () => import("./highlighter_keys.js");
document.addEventListener("keydown", () => loadKeys().catch(() => null), { once: true });

export function createHighlighter({
  element, text, spans = [], strings, changed = () => {}, announce = () => {}, signal,
}) {
  const chars = characters(text);
  let cut = null;  // when it is first needed: ten paragraphs are made at once
  const segments = () => {
    cut ??= segment(text, element.closest("[lang]")?.lang);
    return cut;
  };
  const words = () => segments().filter(({ isWord }) => isWord);
  const drawing = drawText(element, chars);
  const state = { spans: [], apart: false, first: null, cursor: null };
  state.spans = tidy(spans);
  const past = [];

  function tidy(given) {
    const inside = given.filter(([start, end]) => start >= 0 && end <= chars.length);
    return merge(inside.map((span) => snap(span, segments(), chars)).filter(Boolean), chars, state);
  }

  const quote = (span) => quoted([span], chars)[0].text;
  const covering = ({ start, end }) => state.spans.findIndex(([from, to]) => from < end && to > start);

  function draw() {
    const { first, cursor } = state;
    const reach = first === null ? [] : [first, cursor ?? first].sort((a, b) => a - b);
    drawing.draw({
      spans: state.spans,
      pending: reach.length ? [words()[reach[0]].start, words()[reach[1]].end] : null,
      cursor: cursor === null ? null : [words()[cursor].start, words()[cursor].end],
    });
  }

  function become(next, message) {
    past.push(state.spans);
    state.spans = next;
    state.first = null;
    draw();
    announce(message);
    changed();
  }

  function add(span) {
    const next = tidy([...state.spans, span]);
    const added = snap(span, segments(), chars);
    if (!added) return;
    if (JSON.stringify(next) === JSON.stringify(state.spans)) return begin(null);
    become(next, fill(strings.added, { words: quote(added) }));
  }

  function begin(index) {
    state.first = index;
    draw();
    if (index !== null) announce(fill(strings.started, { words: quote([words()[index].start, words()[index].end]) }));
  }

  // What a click, a tap or the space bar on a word does.
  function choose(index) {
    const word = words()[index];
    const there = covering(word);
    if (state.first !== null) {
      const other = words()[state.first];
      add([Math.min(word.start, other.start), Math.max(word.end, other.end)]);
    } else if (there >= 0) removeAt(there);
    else begin(index);
  }

  function removeAt(index) {
    const gone = state.spans[index];
    if (!gone) return;
    become(state.spans.filter((_span, i) => i !== index), fill(strings.removed, { words: quote(gone) }));
  }

  function clear() {
    if (state.spans.length) become([], strings.all_removed);
  }

  function undo() {
    if (state.first !== null) return begin(null);
    if (!past.length) return announce(strings.nothing_to_undo);
    state.spans = past.pop();
    draw();
    announce(strings.undone);
    changed();
  }

  // apart: highlights that only touch stay apart.
  function set(next, { apart = false } = {}) {
    past.length = 0;
    state.apart = apart;
    state.spans = tidy(next);
    state.first = null;
    draw();
  }

  function moveTo(index) {
    state.cursor = index;
    draw();
    if (index !== null) announce(spoken(words()[index]));
  }

  const spoken = (word) => {
    const said = quote([word.start, word.end]);
    return covering(word) < 0 ? said : fill(strings.word_highlighted, { words: said });
  };

  const { rects } = drawing;
  const pending = () => state.first !== null;
  startPointer({ element, words, rects, choose, add, removeAt, pending, selected: drawing.selected, signal });
  const isOn = () => element.dataset.highlighting === "on";
  let keys = null;

  // The text has the focus at once: keys that are pressed meanwhile are not for a question.
  async function setOn(value) {
    if (value === isOn() || (value && !words().length)) return;
    if (value) Object.assign(element, { tabIndex: -1 }).focus();
    keys ??= loadKeys().then(({ startKeys }) =>
      startKeys({ element, words: words(), rects, choose, moveTo, cancel: () => begin(null), strings, announce }));
    try {
      (await keys).setOn(value);
    } catch {
      keys = null;
      announce(strings.mode_off);
    }
  }

  element.dataset.highlighting = "off";
  draw();

  return {
    spans: () => state.spans.map((span) => [...span]),
    quoted: () => quoted(state.spans, chars),
    set, removeAt, clear, undo, on: isOn, setOn,
  };
}
