// Rating a text: questions with levels, and an edit where a chosen level requires one.

import { createEditArea } from "./edit_area.js";
import { fill } from "./json_data.js";
import { createQuestions } from "./questions.js";
import { startShell } from "./shell.js";

const MOST_LEVELS = 7;

startShell(({ assignment, strings, announce, changed, signal }) => {
  const { text, task: { criteria } } = assignment;
  const questions = createQuestions({ form: document.getElementById("questions"), criteria, changed: update, signal });
  const edit = document.getElementById("edit-area") && createEditArea({ text, strings, changed, announce, signal });
  const language = document.documentElement.lang || "en";
  const editing = () => Boolean(edit?.isOpen());

  // The chosen levels that require `what`, as the annotator reads them.
  function requiring(what) {
    const values = questions.values();
    return criteria.flatMap((criterion) => {
      const level = criterion.levels.find(({ value }) => value === values[criterion.name]);
      if (!level?.requires.includes(what)) return [];
      return [fill(strings.choice, { level: level.label, criterion: criterion.label })];
    });
  }

  function reason() {
    const choices = requiring("edit");
    if (!choices.length) return "";
    const list = new Intl.ListFormat(language).format(choices);
    return `${fill(strings.why, { choices: list })} ${strings.edit_hint}`;
  }

  function update() {
    edit?.require(reason());
    changed();
  }

  function missing() {
    const values = questions.values();
    const lacking = criteria.filter((c) => values[c.name] === null).map((c) => question(c, strings.not_answered));
    if (editing() && edit.unchanged()) lacking.push(ofEdit(strings.edit_unchanged));
    return lacking;
  }

  const question = (c, message) => ({
    field: c.name,
    text: fill(strings.no_answer, { criterion: c.label }),
    message,
    href: `#question-${c.name}`,
    focus: () => questions.focus(c.name),
  });
  const ofEdit = (message) => ({
    field: "edit", text: strings.no_edit, message, href: "#edit", focus: edit.focus,
  });

  // What the server found wrong, at the same places and in its own words.
  function problems(errors) {
    return Object.entries(errors).map(([field, message]) => {
      const criterion = criteria.find((c) => c.name === field);
      if (criterion) return { ...question(criterion, message), text: message };
      return { ...ofEdit(message), text: message };
    });
  }

  function mark(list) {
    questions.mark(list);
    edit?.mark(list.find(({ field }) => field === "edit"));
  }

  // The edit stays in the draft even when the answers no longer ask for it.
  const drafted = () => (edit ? { edit: edit.value() === text ? null : edit.value() } : {});
  const submitted = () => (edit ? { edit: editing() ? edit.value() : null } : {});
  const digits = Array.from({ length: MOST_LEVELS }, (_none, index) => [index + 1, () => questions.answer(index)]);

  return {
    restore: (data) => {
      const early = questions.restore(data);
      edit?.restore(data.edit);
      edit?.require(reason());
      return early;
    },
    read: () => ({ ...questions.values(), ...drafted() }),
    response: () => ({ ...questions.values(), ...submitted() }),
    missing,
    problems,
    mark,
    keys: {
      ...Object.fromEntries(digits),
      ...(edit && { e: () => (editing() ? edit.focus() : announce(strings.edit_not_needed)) }),
    },
  };
});
