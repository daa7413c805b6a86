// One paragraph: its verdict, its highlights, and their confirmation.
//
// Its state is todo, neither, highlight, confirm or done; the page shows what belongs to it.

import { createHighlighter } from "./highlighter.js";
import { fill } from "./json_data.js";
import { createRadios } from "./radios.js";

export function createParagraph({ section, strings, announce, changed, finished, signal }) {
  furnish(section, strings);
  const find = (selector) => section.querySelector(selector);
  const list = find(".spans");
  const box = find(".confirm");
  const lack = find(".head .lack");
  const radios = createRadios(find(".crit"), { changed: judged });
  const highlighter = createHighlighter({
    element: find(".text"), text: find(".text").textContent,
    strings: strings.highlighting, changed: touched, announce, signal,
  });
  let confirmed = false;

  // Where none of it is on the screen: on a phone it is further up.
  function showText() {
    const { top, bottom } = find(".text").getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) find(".text").scrollIntoView({ block: "nearest" });
  }

  const verdict = () => (radios.value() === null ? null : Number(radios.value()));

  function state() {
    if (verdict() === null) return "todo";
    if (verdict() === 0) return "neither";
    if (!highlighter.spans().length) return "highlight";
    return confirmed ? "done" : "confirm";
  }

  function judged({ final }) {
    touched();
    if (state() === "highlight") {
      announce(find("[data-when=highlight]").textContent);
      if (final) showText();
    }
    if (state() === "neither" && final) finished();
  }

  // Any change asks for a new confirmation.
  function touched() {
    if (confirmed) announce(strings.unconfirmed);
    confirmed = false;
    draw();
    changed();
  }

  function confirm() {
    if (state() === "todo" || state() === "highlight") return announce(strings.nothing_to_confirm);
    if (state() === "confirm") {
      confirmed = true;
      draw();
      changed();
    }
    finished();
  }

  function draw() {
    section.dataset.state = state();
    section.dataset.verdict = radios.value() ?? "";
    list.hidden = !highlighter.spans().length;
    list.replaceChildren(...highlighter.quoted().map(listed));
  }

  function listed({ text: words }, index) {
    const make = (name, values) => Object.assign(document.createElement(name), values);
    const item = make("li");
    const remove = make("button", { type: "button", className: "btn plain", textContent: strings.remove });
    remove.setAttribute("aria-label", fill(strings.remove_number, { n: index + 1 }));
    remove.addEventListener("click", () => {
      highlighter.removeAt(index);
      const left = [...list.querySelectorAll("button")];
      (left[index] ?? left.at(-1) ?? box).focus();
    });
    const quote = make("q", { textContent: words, lang: list.dataset.lang, dir: "auto", translate: false });
    item.append(make("b", { textContent: index + 1 }), quote, remove);
    return item;
  }

  // To where the next thing is to be done.
  function focus() {
    const places = { todo: radios, confirm: find("[data-act=confirm]") };
    (places[state()] ?? box).focus();
    if (state() === "highlight") showText();
  }

  const actions = {
    keys: () => highlighter.setOn(true),
    undo: highlighter.undo,
    clear: highlighter.clear,
    confirm,
    next: finished,
  };
  section.addEventListener("click", (event) => {
    actions[event.target.closest("[data-act]")?.dataset.act]?.();
  });

  return {
    section, radios, state, confirm, focus,
    undo: highlighter.undo,
    toggleKeys: () => highlighter.setOn(!highlighter.on()),
    isDone: () => ["neither", "done"].includes(state()),
    read: () => ({ verdict: verdict(), spans: highlighter.spans(), confirmed }),
    answer: () => {
      if (verdict() === 0) return { value: 0 };
      return { value: verdict(), spans: highlighter.quoted(), confirmed };
    },
    restore: ({ verdict: saved, spans, confirmed: was }) => {
      radios.set(saved === null ? null : String(saved));
      highlighter.set(spans);
      confirmed = was;
      draw();
    },
    show: (value) => {
      section.hidden = !value;
      if (!value) highlighter.setOn(false);
    },
    // All of it, or what fits on a small screen, from the heading on.
    begin: () => {
      find("h2").focus({ preventScroll: true });
      section.scrollIntoView({ block: section.offsetHeight > 0.8 * innerHeight ? "start" : "nearest" });
    },
    mark: (message) => {
      lack.hidden = !message;
      lack.querySelector("span").textContent = message ?? "";
      radios.mark(Boolean(message) && state() === "todo");
    },
  };
}

// The page holds the questions once, for all paragraphs.
function furnish(section, strings) {
  const parts = document.importNode(document.getElementById("judging").content, true);
  const heading = section.querySelector("h2");
  Object.assign(heading, { id: `${section.id}-h`, tabIndex: -1 });
  section.setAttribute("aria-labelledby", heading.id);
  for (const radio of parts.querySelectorAll("input[type=radio]")) radio.name = section.id;
  parts.querySelector("[data-mode=on]").textContent = strings.highlighting.mode_on;
  section.querySelector(".head").append(parts.querySelector(".lack"));
  section.firstElementChild.append(parts.querySelector(".tools"));
  section.append(parts.querySelector(".judge"));
}
