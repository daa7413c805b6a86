// Language quality: three questions of three levels, and an edit where one falls short.

import { createEditArea } from "./edit_area.js";
import { fill } from "./json_data.js";
import { createQuestions } from "./questions.js";
import { startShell } from "./shell.js";

startShell(({ assignment, strings, announce, changed }) => {
  const { text, task: { criteria } } = assignment;
  const questions = createQuestions({ form: document.getElementById("questions"), criteria, changed: update });
  const edit = createEditArea({ text, strings, changed, announce });
  const best = ({ levels }) => Math.max(...levels.map((level) => level.value));

  const belowBest = () => {
    const values = questions.values();
    return criteria.filter((c) => values[c.name] !== null && values[c.name] < best(c));
  };

  function reason() {
    const values = questions.values();
    const choices = belowBest().map((c) => {
      const level = c.levels.find(({ value }) => value === values[c.name]).label;
      return fill(strings.choice, { level, criterion: c.label });
    });
    const list = new Intl.ListFormat(document.documentElement.lang || "en");
    return choices.length ? fill(strings.why, { choices: list.format(choices) }) : "";
  }

  function update() {
    edit.require(reason());
    changed();
  }

  function missing() {
    const values = questions.values();
    const lacking = criteria.filter((c) => values[c.name] === null).map((c) => question(c, strings.not_answered));
    if (edit.isOpen() && edit.unchanged()) lacking.push(editing(strings.edit_unchanged));
    return lacking;
  }

  const question = (c, message) => ({
    field: c.name,
    text: fill(strings.no_answer, { criterion: c.label }),
    message,
    href: `#${c.name}`,
    focus: () => questions.focus(c.name),
  });
  const editing = (message) => ({
    field: "edit", text: strings.no_edit, message, href: "#edit", focus: edit.focus,
  });

  // What the server found wrong, at the same places and in its own words.
  function problems(errors) {
    return Object.entries(errors).map(([field, message]) => {
      const criterion = criteria.find((c) => c.name === field);
      if (criterion) return { ...question(criterion, message), text: message };
      return { ...editing(message), text: message };
    });
  }

  function mark(list) {
    for (const { name } of criteria) {
      const problem = list.find(({ field }) => field === name);
      const fieldset = document.getElementById(name);
      fieldset.classList.toggle("lacking", Boolean(problem));
      fieldset.toggleAttribute("aria-invalid", false);
      if (problem) fieldset.setAttribute("aria-invalid", "true");
      say(`${name}-state`, problem);
    }
    const problem = list.find(({ field }) => field === "edit");
    const box = document.getElementById("edit");
    if (problem) box.setAttribute("aria-invalid", "true");
    else box.removeAttribute("aria-invalid");
    say("edit-problem", problem);
  }

  function say(id, problem) {
    const state = document.getElementById(id);
    state.hidden = !problem;
    state.querySelector("span").textContent = problem?.message ?? "";
  }

  return {
    restore: (data) => {
      const early = questions.restore(data);
      edit.restore(data.edit);
      edit.require(reason());
      return early;
    },
    // The edit stays in the draft even when the answers no longer ask for it.
    read: () => ({ ...questions.values(), edit: edit.value() === text ? null : edit.value() }),
    response: () => ({ ...questions.values(), edit: edit.isOpen() ? edit.value() : null }),
    missing,
    problems,
    mark,
    keys: {
      1: () => questions.answer(0),
      2: () => questions.answer(1),
      3: () => questions.answer(2),
      e: () => (edit.isOpen() ? edit.focus() : announce(strings.edit_not_needed)),
    },
  };
});
