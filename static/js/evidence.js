// Highlights in the text, one set a question: for the questions whose levels may require them, and
// for those that ask for errors, each with its category and severity.
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
    return {
      criterion, element, apart: criterion.kind === "errors", chosen: element.querySelector("[aria-pressed]"),
      list: element.querySelector("ol"), none: element.querySelector("[data-none]"),
      what: element.querySelector("template")?.content.firstElementChild, kinds: new Map(),
    };
  });
  const asking = panels.filter(({ apart }) => apart);  // for errors
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
    if (active.apart) describe(active);
    draw(active);
  }

  // An error that has grown or moved keeps what was said of it.
  function describe({ criterion: { name }, kinds, none }) {
    const before = [...kinds.values()];
    kinds.clear();
    for (const { start, end } of kept[name].map(([from, to]) => ({ start: from, end: to }))) {
      const old = before.find((one) => one.start < end && one.end > start);
      kinds.set(start, { category: old?.category ?? "", severity: old?.severity ?? "", start, end });
    }
    if (kinds.size) none.checked = false;
    none.disabled = kinds.size > 0;
  }

  function show(panel) {
    if (panel === active) return;
    active = panel;
    highlighter.set(kept[panel.criterion.name], panel);
    panels.forEach(draw);
  }

  function draw(panel) {
    const { criterion: { name }, element, chosen, list } = panel;
    const given = kept[name].length > 0;
    chosen.setAttribute("aria-pressed", String(panel === active));
    const [yes, no] = needed.includes(name) || panel.apart ? ["given", "needed"] : ["kept", "idle"];
    element.dataset.state = (panel.apart ? !openIn(panel) : given) ? yes : no;
    list.replaceChildren(...sent[name].map((span, index) => listed(panel, span, index)));
  }

  // What is missing about errors: they, or what one of them is.
  function openIn({ criterion: { name, categories }, kinds, none }) {
    if (!kept[name].length) return none.checked ? "" : strings.not_answered;
    const isDescribed = ({ category, severity }) => severity && (category || !categories.length);
    return [...kinds.values()].every(isDescribed) ? "" : strings.error_open;
  }

  function asked(panel, { start, text: words }) {
    const what = panel.what.cloneNode(true);
    for (const select of what.querySelectorAll("select")) {
      const { of } = select.dataset;
      select.value = panel.kinds.get(start)[of];
      select.setAttribute("aria-label", `${select.getAttribute("aria-label")}: ${words}`);
      select.addEventListener("change", () => {
        panel.kinds.get(start)[of] = select.value;
        panel.element.dataset.state = openIn(panel) ? "needed" : "given";
        changed();
      });
    }
    return what;
  }

  function listed(panel, span, index) {
    const { text: words } = span;
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
    if (panel.apart) item.append(asked(panel, span));
    return item;
  }

  function mark(problems) {
    for (const { criterion: { name }, element, apart } of panels) {
      const problem = problems.find(({ field }) => field === (apart ? name : `evidence.${name}`));
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
  for (const panel of asking) {
    panel.none.addEventListener("change", () => { draw(panel); changed(); });
  }
  const marksIn = (errors) => (Array.isArray(errors) ? errors.map(({ start, end }) => [start, end]) : []);
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
    // The questions about errors that are not answered, with what is missing.
    open: () => asking.filter(openIn).map((panel) => [panel.criterion, openIn(panel)]),
    errors: () => Object.fromEntries(asking.map(({ criterion: { name }, kinds, none }) => [
      name,
      sent[name].length || none.checked ? sent[name].map((one) => ({ ...kinds.get(one.start), ...one })) : null,
    ])),
    focus: (name) => {
      const panel = panelOf(name);
      show(panel);
      panel.element.focus();
      document.getElementById("text").scrollIntoView({ block: "nearest" });
    },
    restore: (saved, data) => {
      for (const panel of panels) {
        const { criterion: { name }, apart, kinds, none } = panel;
        const spans = apart ? marksIn(data[name]) : saved?.[name];
        active = panel;
        highlighter.set(Array.isArray(spans) ? spans : [], panel);
        if (apart) {
          for (const error of Array.isArray(data[name]) ? data[name] : []) kinds.set(error.start, error);
          none.checked ||= data[name]?.length === 0;
        }
        take();
      }
      show(panels[0]);
      panels.forEach(draw);
    },
    read: () => Object.fromEntries(panels.filter((p) => !p.apart).map(({ criterion: { name } }) => [name, structuredClone(kept[name])])),
    response: () => Object.fromEntries(needed.map((name) => [name, sent[name]])),
  };
}
