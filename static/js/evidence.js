// Highlights in the text for the questions whose levels may require them: one set a question.
//
// The text shows the set of one question at a time: of the one last answered or chosen here.

import { createHighlighter } from "./highlighter.js";
import { fill } from "./json_data.js";
import { segment } from "./spans.js";

export function createEvidence({ text: source, criteria, strings, changed, announce, signal }) {
  const element = document.querySelector("#text .read:not(.before)");
  const text = element.matches(".drawn") ? element.textContent : source;
  const area = document.getElementById("evidence");
  const panels = criteria.filter((c) => document.getElementById(`evidence-${c.name}`)).map((criterion) => {
    const element = document.getElementById(`evidence-${criterion.name}`);
    return { criterion, element, chosen: element.querySelector("[aria-pressed]"), list: element.querySelector("ol") };
  });
  const possible = segment(text).some(({ isWord }) => isWord);
  const kept = Object.fromEntries(panels.map(({ criterion }) => [criterion.name, []]));
  const sent = { ...kept };  // with their words, as the server wants them
  let needed = [];
  let active = panels[0];
  const highlighter = createHighlighter({
    element, text, strings: strings.highlighting, announce, signal,
    changed: () => { take(); changed(); },
  });

  function take() {
    kept[active.criterion.name] = highlighter.spans();
    sent[active.criterion.name] = highlighter.quoted();
    draw(active);
  }

  function show(panel) {
    if (panel === active) return;
    active = panel;
    highlighter.set(kept[panel.criterion.name]);
    panels.forEach(draw);
  }

  function draw(panel) {
    const { criterion: { name }, element, chosen, list } = panel;
    const given = kept[name].length > 0;
    chosen.setAttribute("aria-pressed", String(panel === active));
    element.dataset.state = needed.includes(name) ? (given ? "given" : "needed") : (given ? "kept" : "idle");
    list.replaceChildren(...sent[name].map((span, index) => listed(panel, span, index)));
  }

  function listed(panel, { text: words }, index) {
    const item = document.createElement("li");
    const quote = Object.assign(document.createElement("q"), { textContent: words, lang: area.dataset.lang, dir: "auto", translate: false });
    const remove = Object.assign(document.createElement("button"), { type: "button", className: "btn plain", textContent: strings.remove });
    remove.setAttribute("aria-label", fill(strings.remove_words, { words }));
    remove.addEventListener("click", () => {
      show(panel);
      highlighter.removeAt(index);
      const left = [...panel.list.querySelectorAll("button")];
      (left[index] ?? left.at(-1) ?? panel.element).focus();
    });
    item.append(quote, remove);
    return item;
  }

  function mark(problems) {
    for (const { criterion: { name }, element } of panels) {
      const problem = problems.find(({ field }) => field === `evidence.${name}`);
      const lack = element.querySelector(".lack");
      element.classList.toggle("lacking", Boolean(problem));
      lack.hidden = !problem;
      lack.querySelector("span").textContent = problem?.message ?? "";
    }
  }

  const actions = { keys: () => highlighter.setOn(true), undo: highlighter.undo, clear: highlighter.clear };
  area.addEventListener("click", (event) => {
    actions[event.target.closest("[data-act]")?.dataset.act]?.();
    const panel = panels.find(({ chosen }) => chosen.contains(event.target));
    if (panel) show(panel);
  });
  const panelOf = (name) => panels.find(({ criterion }) => criterion.name === name);

  return {
    mark,
    toggleKeys: () => highlighter.setOn(!highlighter.on()),
    // `names`: the questions whose chosen levels require highlights; nothing can be in a text without words.
    require: (names) => {
      const added = names.find((name) => possible && !needed.includes(name));
      needed = possible ? names : [];
      if (added) {
        show(panelOf(added));
        if (!kept[added].length) announce(strings.now_highlight);
      }
      panels.forEach(draw);
    },
    missing: () => needed.filter((name) => !kept[name].length),
    focus: (name) => {
      const panel = panelOf(name);
      show(panel);
      panel.element.focus();
      document.getElementById("text").scrollIntoView({ block: "nearest" });
    },
    restore: (saved) => {
      for (const panel of panels) {
        const spans = saved?.[panel.criterion.name];
        active = panel;
        highlighter.set(Array.isArray(spans) ? spans : []);
        take();
      }
      show(panels[0]);
      panels.forEach(draw);
    },
    read: () => structuredClone(kept),
    response: () => Object.fromEntries(needed.map((name) => [name, sent[name]])),
  };
}
