// Answer correctness: is the answer plausible; then, paragraph by paragraph, what it shows.

import { plural } from "./json_data.js";
import { createParagraph } from "./judged_paragraph.js";
import { createSteps } from "./paragraph_steps.js";
import { createRadios } from "./radios.js";
import { startShell } from "./shell.js";

const KINDS = ["todo", "highlight", "confirm"];

startShell(({ strings, announce, changed, signal }) => {
  const sections = [...document.querySelectorAll(".paragraph")];
  const checking = document.getElementById("checking");
  const fieldset = document.getElementById("plausible");
  const plausible = createRadios(fieldset, { changed: decided });
  const early = plausible.value();
  const steps = createSteps({ root: checking, strings, announce });
  const paragraphs = sections.map((section) => createParagraph({
    section, strings, announce, signal, changed: update, finished: steps.advance,
  }));
  steps.start(paragraphs);

  const implausible = () => plausible.value() === "no";
  const done = document.getElementById("implausible");
  const nothingElse = () => announce(done.textContent);

  function draw() {
    checking.hidden = implausible();
    done.hidden = !implausible();
    steps.draw();
    showCurrent();
  }

  function update() {
    draw();
    changed();
  }

  function decided() {
    update();
    if (implausible()) nothingElse();
  }

  // Which question 1, 2 and 3 would answer; only that one shows these numbers.
  function asked() {
    const current = steps.current();
    const inside = current.section.contains(document.activeElement);
    const first = plausible.has(document.activeElement) || implausible();
    return first || (plausible.value() === null && !inside) ? plausible : current.radios;
  }

  function showCurrent() {
    const now = asked();
    for (const radios of [plausible, ...paragraphs.map((one) => one.radios)]) radios.current(radios === now);
  }

  function answer(index) {
    const question = asked();
    const shown = steps.shown();
    question.choose(index);
    if (implausible()) plausible.focus();
    else if (question === plausible) steps.current().radios.focus();
    else if (steps.shown() === shown) question.focus();
    showCurrent();
  }

  const inParagraphs = (action) => () => (implausible() ? nothingElse() : action());

  const ofPlausible = (text, message) => ({
    field: "plausible", text, message, href: "#plausible", focus: plausible.focus,
  });
  const ofParagraphs = (field, indexes, text, message) => ({
    field, text, message, indexes, href: `#paragraph-${indexes[0] + 1}`,
    focus: () => {
      steps.goTo(indexes[0]);
      paragraphs[indexes[0]].focus();
    },
  });

  // One link for each kind of gap: ten paragraphs do not make ten links.
  function missing() {
    if (implausible()) return [];
    const list = new Intl.ListFormat(document.documentElement.lang || "en");
    const gaps = KINDS.flatMap((kind) => {
      const open = paragraphs.flatMap((one, i) => (one.state() === kind ? [i] : []));
      if (!open.length) return [];
      const named = { list: list.format(open.map((index) => String(index + 1))) };
      return [ofParagraphs(kind, open, plural(strings.lacking[kind], open.length, named), strings.lacking_here[kind])];
    });
    if (plausible.value() !== null) return gaps;
    return [ofPlausible(strings.no_plausible, strings.lacking_here.todo), ...gaps];
  }

  // What the server found wrong, at the same places and in its own words.
  function problems(errors) {
    return Object.entries(errors).map(([field, message]) => {
      if (field === "plausible") return ofPlausible(message, message);
      const index = sections.findIndex(({ id }) => id === field);
      return ofParagraphs(field, [Math.max(index, 0)], message, message);
    });
  }

  function mark(list) {
    const first = list.find(({ field }) => field === "plausible");
    const state = fieldset.querySelector(".lack");
    plausible.mark(Boolean(first));
    state.hidden = !first;
    state.querySelector("span").textContent = first?.message ?? "";
    paragraphs.forEach((paragraph, index) => {
      const problem = list.find(({ indexes }) => indexes?.includes(index));
      paragraph.mark(problem?.message);
      steps.mark(index, Boolean(problem));
    });
  }

  // In columns, not in objects: what was answered about paragraphs stays whatever "plausible" is.
  function read() {
    const all = paragraphs.map((paragraph) => paragraph.read());
    return {
      plausible: plausible.value(),
      verdicts: all.map(({ verdict }) => verdict),
      spans: all.map(({ spans }) => spans),
      confirmed: all.map(({ confirmed }) => confirmed),
      shown: steps.shown(),
    };
  }

  function restore(data) {
    if (early === null) plausible.set(data.plausible ?? null);
    paragraphs.forEach((paragraph, i) => {
      paragraph.restore({
        verdict: data.verdicts?.[i] ?? null,
        spans: data.spans?.[i] ?? [],
        confirmed: data.confirmed?.[i] ?? false,
      });
    });
    steps.show(sections[data.shown] === undefined ? 0 : data.shown);
    draw();
    return early !== null;
  }

  document.addEventListener("focusin", showCurrent, { signal });
  for (const form of document.querySelectorAll("form:not([method=dialog])")) {
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  return {
    restore, read, missing, problems, mark,
    response: () => ({
      plausible: plausible.value() === "yes",
      verdicts: implausible() ? [] : paragraphs.map((paragraph) => paragraph.answer()),
    }),
    keys: {
      1: () => answer(0),
      2: () => answer(1),
      3: () => answer(2),
      j: inParagraphs(() => steps.by(1)),
      k: inParagraphs(() => steps.by(-1)),
      h: inParagraphs(() => steps.current().toggleKeys()),
      u: inParagraphs(() => steps.current().undo()),
      c: inParagraphs(() => steps.current().confirm()),
    },
  };
});
