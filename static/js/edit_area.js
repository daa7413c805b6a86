// The text box for improving the text: appears when needed, says why, shows what was changed.

import { distance, wordsOnly } from "./distance.js";
import { plural } from "./json_data.js";
import { wordDiff } from "./word_diff.js";

const TINY = 5;  // the screen for short edits starts to count below this
const PAUSE = 120;
const SPOKEN = 1500;

export function createEditArea({ text, strings, changed, announce }) {
  const area = document.getElementById("edit-area");
  const box = document.getElementById("edit");
  const why = document.getElementById("edit-why");
  const tally = document.getElementById("edit-distance");
  const tiny = document.getElementById("edit-tiny");
  const diff = document.getElementById("edit-diff");
  const none = document.getElementById("no-edit");
  let timer = 0;
  let spoken = 0;

  const touched = () => box.value !== text;
  const unchanged = () => wordsOnly(box.value) === wordsOnly(text);

  function tallied() {
    if (!touched()) return strings.unchanged;
    if (unchanged()) return strings.spaces_only;
    return plural(strings.changed, distance(text, box.value));
  }

  function show() {
    const words = tallied();
    tally.textContent = words;
    tally.classList.toggle("quiet", unchanged());
    tiny.hidden = unchanged() || distance(text, box.value) >= TINY;
    const runs = wordDiff(text, box.value);
    diff.parentElement.hidden = unchanged();
    diff.replaceChildren(...(runs ? runs.flatMap(draw) : [strings.too_long]));
    clearTimeout(spoken);
    if (document.activeElement === box) spoken = setTimeout(() => announce(words), SPOKEN);
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
    none.hidden = needed;
    none.querySelector('[data-when="none"]').hidden = touched();
    none.querySelector('[data-when="kept"]').hidden = !touched();
  }

  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, PAUSE);
    changed();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") box.blur();
  });
  document.getElementById("edit-reset").addEventListener("click", () => {
    box.value = text;
    box.focus();
    show();
    changed();
  });

  return {
    require,
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
  };
}
