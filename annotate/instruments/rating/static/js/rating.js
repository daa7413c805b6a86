// Rating a text: questions of every kind; an edit, or highlights, where a chosen level requires them.

import { createEditArea } from "./edit_area.js";
import { fill } from "./json_data.js";
import { createQuestions } from "./questions.js";
import { startShell } from "./shell.js";

// Only where a study asks for highlights or errors: it is as much code as all the rest.
const { createEvidence } = document.getElementById("evidence") ? await import("./evidence.js") : {};
const MOST_KEYS = 9;

startShell(({ assignment, strings, announce, changed, signal }) => {
  const { text, task: { criteria, texts } } = assignment;
  const questions = createQuestions({ form: document.getElementById("questions"), criteria, texts, changed: update, signal });
  const edit = document.getElementById("edit-area") && createEditArea({ text, strings, changed, announce, signal });
  const evidence = document.getElementById("evidence")
    && createEvidence({ text, criteria, strings, changed, announce, signal });
  const language = document.documentElement.lang || "en";
  const editing = () => Boolean(edit?.isOpen());

  // The criteria whose chosen levels require `what`, with these levels.
  function requiring(what) {
    const values = questions.values();
    return criteria.flatMap((criterion) => {
      const level = criterion.levels.find(({ value }) => value === values[criterion.name]);
      return level?.requires.includes(what) ? [{ criterion, level }] : [];
    });
  }

  function reason() {
    const choices = requiring("edit").map(({ criterion, level }) =>
      fill(strings.choice, { level: level.label, criterion: criterion.label }));
    if (!choices.length) return "";
    const list = new Intl.ListFormat(language).format(choices);
    return `${fill(strings.why, { choices: list })} ${strings.edit_hint}`;
  }

  function ask() {
    edit?.require(reason());
    evidence?.require(requiring("evidence").map(({ criterion }) => criterion.name));
  }

  function update() {
    ask();
    changed();
  }

  function missing() {
    const lacking = (evidence?.open() ?? []).map(([criterion, message]) => ofErrors(criterion, message));
    lacking.push(...questions.lacking().map((c) => question(c, strings.not_answered)));
    lacking.push(...(evidence?.missing() ?? []).map((name) => ofEvidence(name, strings.evidence_missing)));
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

  const ofEvidence = (name, message) => ({
    field: `evidence.${name}`,
    text: fill(strings.no_evidence, { criterion: criteria.find((c) => c.name === name).label }),
    message,
    href: `#evidence-${name}`,
    focus: () => evidence.focus(name),
  });

  const ofErrors = (c, message) => ({
    ...question(c, message), ...(message === strings.error_open && { text: `${c.label}: ${message}` }), href: `#evidence-${c.name}`, focus: () => evidence.focus(c.name),
  });

  // What the server found wrong, at the same places and in its own words.
  function problems(errors) {
    return Object.entries(errors).map(([field, message]) => {
      const criterion = criteria.find((c) => c.name === field);
      const place = criterion?.kind === "errors" ? ofErrors : question;
      if (criterion) return { ...place(criterion, message), text: message };
      const [, name] = field.split("evidence.");
      return { ...(name ? ofEvidence(name, message) : ofEdit(message)), text: message };
    });
  }

  function mark(list) {
    questions.mark(list);
    evidence?.mark(list);
    edit?.mark(list.find(({ field }) => field === "edit"));
  }

  // The edit stays in the draft even when the answers no longer ask for it.
  const drafted = () => ({
    ...(edit && { edit: edit.touched() ? edit.value() : null }),
    ...(evidence && { evidence: evidence.read() }),
  });
  const submitted = () => ({
    ...(edit && { edit: editing() ? edit.value() : null }),
    ...(evidence && { evidence: evidence.response() }),
  });
  const digits = Array.from({ length: MOST_KEYS }, (_none, index) => [index + 1, () => questions.answer(index)]);

  return {
    restore: (data) => {
      const early = questions.restore(data);
      edit?.restore(data.edit);
      evidence?.restore(data.evidence, data);
      ask();
      return early;
    },
    read: () => ({ ...questions.values(), ...evidence?.errors(), ...drafted() }),
    response: () => ({ ...questions.values(), ...evidence?.errors(), ...submitted() }),
    missing,
    problems,
    mark,
    keys: {
      ...Object.fromEntries(digits),
      ...(edit && { e: () => (editing() ? edit.focus() : announce(strings.edit_not_needed)) }),
      ...(evidence && { h: evidence.toggleKeys }),
    },
  };
});
