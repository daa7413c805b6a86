// A paragraph of an evidence question: its verdict, the words highlighted in it, and the notes.

import { createHighlighter } from "./highlighter.js";
import { fill } from "./json_data.js";

export function createMarkedParagraph({ element, text, strings, changed, announce }) {
  const radios = [...element.querySelectorAll("input[type=radio]")];
  const field = element.querySelector("fieldset");
  const list = element.querySelector(".spans");
  const note = element.querySelector(".said");
  const stopped = new AbortController();
  const highlighter = createHighlighter({
    element: element.querySelector(".marked"), text, announce, signal: stopped.signal,
    strings: strings.highlighting, changed: () => { draw(); changed(); },
  });
  const chosen = () => radios.find((radio) => radio.checked);
  const verdict = () => (chosen() ? Number(chosen().value) : null);

  function draw() {
    list.replaceChildren(...highlighter.quoted().map(({ text: words }, index) => {
      const item = document.createElement("li");
      const remove = document.createElement("button");
      remove.type = "button";
      remove.className = "btn";
      remove.textContent = fill(strings.remove_words, { words });
      remove.addEventListener("click", () => {
        highlighter.removeAt(index);
        field.querySelector("input").focus();
      });
      item.append(remove);
      return item;
    }));
  }

  field.addEventListener("change", changed);
  element.querySelector("[data-act=undo]").addEventListener("click", highlighter.undo);
  element.querySelector("[data-act=keys]").addEventListener("click", () => highlighter.setOn(!highlighter.on()));

  return {
    verdict,
    has: (other) => element.contains(other),
    current: (value) => field.toggleAttribute("data-current", value),
    focus: () => (chosen() ?? radios[0]).focus(),
    byKeys: () => highlighter.setOn(true),
    choose: (index) => {
      radios[index].checked = true;
      radios[index].focus();
      changed();
    },
    response: () => ({ verdict: verdict(), spans: verdict() ? highlighter.quoted() : [] }),
    lacks: () => {
      if (verdict() === null) return "paragraph_verdict";
      return verdict() !== 0 && !highlighter.spans().length ? "paragraph_highlight" : null;
    },
    explain: ({ correct, overlap, feedback }, show) => {
      note.hidden = false;
      note.className = `note said ${correct ? "good" : "warn"}`;
      show(note, correct ? "right" : overlap ? "almost" : "wrong");
      note.lastElementChild.replaceChildren(...feedback.map((words) => {
        const line = document.createElement("p");
        line.textContent = words;
        return line;
      }));
    },
    lock: () => {
      field.disabled = true;
      for (const button of element.querySelectorAll("button")) button.hidden = true;
    },
  };
}
