// What each kind of tutorial question is answered with.

import { createEditArea } from "./edit_area.js";
import { createEvidence } from "./evidence.js";
import { createQuestions } from "./questions.js";
import { createMarkedParagraph } from "./tutorial_paragraph.js";
import { fill } from "./json_data.js";

export const createKind = (tutorial, tools) => KINDS[tutorial.kind](tutorial, tools);

const KINDS = {
  choice: (_tutorial, { strings, changed }) => {
    const field = document.getElementById("choice");
    const radios = [...field.querySelectorAll("input")];
    const chosen = () => radios.find((radio) => radio.checked);
    const focus = () => (chosen() ?? radios[0]).focus();
    field.addEventListener("change", changed);
    const choose = (index) => {
      radios[index].checked = true;
      radios[index].focus();
      changed();
    };
    return {
      response: () => ({ value: Number(chosen().value) }),
      missing: () => (chosen() ? [] : [{ text: strings.choose, href: "#choice", focus }]),
      lock: () => { field.disabled = true; },
      keys: Object.fromEntries(radios.map((_radio, index) => [index + 1, () => choose(index)])),
    };
  },

  practice: ({ text, criterion, texts }, { strings, changed, announce }) => {
    const { name } = criterion;
    const { signal } = new AbortController();
    const missing = (place, focus) => [{ text: strings.choose, href: `#${place}-${name}`, focus: () => focus(name) }];
    const all = [...document.querySelectorAll("#questions input, #evidence input, #evidence select, #evidence button")];
    const lock = () => { for (const input of [...all, ...document.querySelectorAll("#evidence :is(select, button)")]) input.disabled = true; };
    if (criterion.kind === "errors") {
      const evidence = createEvidence({ text, criteria: [criterion], strings, changed, announce, signal });
      evidence.restore(null, {});
      return {
        response: () => ({ answer: evidence.errors()[name] }),
        missing: () => (evidence.open().length ? missing("evidence", evidence.focus) : []),
        lock,
        keys: { h: evidence.toggleKeys },
      };
    }
    const questions = createQuestions({
      form: document.getElementById("questions"), criteria: [criterion], texts, changed, signal,
    });
    questions.restore({});
    return {
      response: () => ({ answer: questions.values()[name] }),
      missing: () => (questions.lacking().length ? missing("question", questions.focus) : []),
      lock,
      keys: Object.fromEntries(Array.from({ length: 9 }, (_none, index) => [index + 1, () => questions.answer(index)])),
    };
  },

  edit: ({ text }, { strings, changed, announce }) => {
    const edit = createEditArea({ text, strings, changed, announce });
    edit.restore(null);
    edit.require(strings.edit_hint);
    return {
      response: () => ({ edit: edit.value() }),
      missing: () => (edit.unchanged() ? [{ text: strings.no_edit, href: "#edit", focus: edit.focus }] : []),
      lock: () => { document.getElementById("edit").readOnly = true; },
      keys: { e: edit.focus },
    };
  },

  evidence: ({ paragraphs }, { strings, changed, announce }) => {
    const all = paragraphs.map((text, index) => createMarkedParagraph({
      element: document.getElementById(`paragraph-${index + 1}`), text, strings, changed, announce,
    }));
    const current = () => all.find((one) => one.has(document.activeElement)) ?? all.find((one) => one.verdict() === null) ?? all[0];
    const showCurrent = () => { for (const one of all) one.current(one === current()); };
    const move = (step) => {
      const index = all.indexOf(current()) + step;
      all[Math.max(0, Math.min(all.length - 1, index))].focus();
    };
    document.addEventListener("focusin", showCurrent);
    showCurrent();
    return {
      response: () => ({ paragraphs: all.map((one) => one.response()) }),
      missing: () => all.flatMap((one, index) => {
        const lack = one.lacks();
        return lack ? [{ text: fill(strings[lack], { n: index + 1 }), href: `#paragraph-${index + 1}`, focus: one.focus }] : [];
      }),
      explain: (graded, show) => { for (const [index, one] of all.entries()) one.explain(graded[index], show); },
      lock: () => { for (const one of all) one.lock(); },
      keys: {
        1: () => current().choose(0),
        2: () => current().choose(1),
        3: () => current().choose(2),
        h: () => current().byKeys(),
        j: () => move(1),
        k: () => move(-1),
      },
    };
  },

  example: () => ({ response: () => ({}), missing: () => [] }),
};
