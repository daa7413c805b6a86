// The text box for improving the text: appears when needed, says why, shows what was changed.
// In a tutorial it is there from the start, and the remarks are the tutorial's own.

import { distance, wordsOnly } from "./distance.js";
import { plural } from "./json_data.js";
import { wordDiff } from "./word_diff.js";

const TINY = 5;  // the screen for short edits starts to count below this
const PAUSE = 120;
const SPOKEN = 1500;

export function createEditArea({ text: given, strings, changed, announce, signal }) {
  const text = given.replace(/\r\n?/g, "\n");  // as a text box holds it
  const area = document.getElementById("edit-area");
  const box = document.getElementById("edit");
  const why = document.getElementById("edit-why");
  const tally = document.getElementById("edit-distance");
  const tiny = document.getElementById("edit-tiny");
  const diff = document.getElementById("edit-diff");
  const none = document.getElementById("no-edit");
  let timer = 0;
  const reset = document.getElementById("edit-reset");
  const problem = document.getElementById("edit-problem");
  let spoken = 0;
  let before = null;  // what a reset took away

  let known = { value: null, n: 0 };  // the distance of what was last compared
  function characters() {
    if (known.value !== box.value) known = { value: box.value, n: distance(text, box.value) };
    return known.n;
  }

  const touched = () => box.value !== text;
  const unchanged = () => wordsOnly(box.value) === wordsOnly(text);

  function tallied() {
    if (!touched()) return strings.unchanged;
    if (unchanged()) return strings.spaces_only;
    return plural(strings.changed, characters());
  }

  function show() {
    const words = tallied();
    tally.textContent = words;
    tally.classList.toggle("quiet", unchanged());
    remark();
    const runs = wordDiff(text, box.value);
    diff.parentElement.hidden = unchanged();
    diff.replaceChildren(...(runs ? runs.flatMap(draw) : [strings.too_long]));
    clearTimeout(spoken);
    if (document.activeElement === box) spoken = setTimeout(() => announce(words), SPOKEN);
  }

  // One remark at a time, in a line that is kept free for it.
  function remark() {
    if (tiny) tiny.hidden = !problem.hidden || unchanged() || characters() >= TINY;
  }

  function draw({ kind, space, text: words }) {
    if (kind === "same") return [space + words];
    const mark = document.createElement(kind === "out" ? "del" : "ins");
    const said = document.createElement("span");
    said.className = "sr";
    said.textContent = `${kind === "out" ? strings.taken_out : strings.put_in} `;
    mark.append(said, words);
    return [space, mark];
  }

  function require(reason) {
    const needed = reason !== "";
    if (needed) why.textContent = reason;
    if (area.hidden === needed) announce(needed ? strings.edit_opened : strings.edit_closed);
    area.hidden = !needed;
    if (!none) return;
    none.hidden = needed;
    none.querySelector('[data-when="none"]').hidden = touched();
    none.querySelector('[data-when="kept"]').hidden = !touched();
  }

  box.addEventListener("input", () => {
    if (box.hasAttribute("data-placing")) return;
    offer(null);
    clearTimeout(timer);
    timer = setTimeout(show, PAUSE);
    changed();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") box.blur();
  });
  // One button, so that nothing moves: back to the original, and back from there. It is an edit like
  // any other, because setting the value would empty what Ctrl+Z goes back to.
  function putIn(value, said) {
    box.focus();
    box.select();
    box.toggleAttribute("data-placing", true);
    if (!document.execCommand("insertText", false, value) || box.value !== value) box.value = value;
    box.toggleAttribute("data-placing", false);
    show();
    changed();
    announce(said);
  }
  const offer = (kept) => {
    before = kept;
    reset.textContent = before === null ? strings.reset : strings.restore;
  };
  reset.addEventListener("click", () => {
    if (before !== null) {
      const kept = before;
      offer(null);
      putIn(kept, strings.was_restored);
    } else if (touched()) {
      offer(box.value);
      putIn(text, strings.was_reset);
    }
  });
  signal?.addEventListener("abort", () => {
    clearTimeout(timer);
    clearTimeout(spoken);
  });

  return {
    require,
    touched,
    unchanged,
    value: () => box.value,
    restore: (value) => {
      box.value = typeof value === "string" ? value : text;
      show();
    },
    focus: () => {
      box.focus();
      area.scrollIntoView({ block: "nearest" });
    },
    isOpen: () => !area.hidden,
    mark: (found) => {
      if (found) box.setAttribute("aria-invalid", "true");
      else box.removeAttribute("aria-invalid");
      problem.hidden = !found;
      problem.querySelector("span").textContent = found?.message ?? "";
      remark();
    },
  };
}
