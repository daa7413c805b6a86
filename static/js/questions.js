// The questions beside a text: which one is meant by 1/2/3, and which has no answer yet.
// Errors that are marked in the text are answered elsewhere (evidence.js).

// How each kind is answered. `value` is null where there is no answer; `early` tells whether
// somebody answered before this script ran; `press` is a number key, and returns whether that
// answers the question for good. `lacks` tells whether a part of it is open, where there are parts.
const KINDS = { choice, choices, slider, text, rank };

function choice({ inputs }) {
  const checked = () => inputs.find((radio) => radio.checked);
  const read = ({ value }) => (value === "both_bad" ? value : Number(value));
  return {
    early: () => Boolean(checked()),
    value: () => (checked() ? read(checked()) : null),
    set: (value) => { for (const radio of inputs) radio.checked = radio.value === String(value); },
    focus: () => (checked() ?? inputs[0]).focus(),
    press: (index) => {
      if (!inputs[index]) return null;
      inputs[index].checked = true;
      return true;
    },
  };
}

// “None of these” is the last box: it takes the others back, and they take it back.
function choices({ inputs, fieldset }) {
  const none = inputs.at(-1);
  const options = inputs.slice(0, -1);
  const chosen = () => options.filter((box) => box.checked).map((box) => box.value);
  function agree(box) {
    if (box === none && none.checked) for (const option of options) option.checked = false;
    else if (box.checked) none.checked = false;
  }
  fieldset.addEventListener("change", ({ target }) => agree(target));
  return {
    early: () => inputs.some((box) => box.checked),
    value: () => (none.checked || chosen().length ? chosen() : null),
    set: (value) => {
      for (const option of options) option.checked = Boolean(value?.includes(option.value));
      none.checked = value?.length === 0;
    },
    focus: () => (inputs.find((box) => box.checked) ?? inputs[0]).focus(),
    press: (index) => {
      if (!inputs[index]) return null;
      inputs[index].checked = !inputs[index].checked;
      agree(inputs[index]);
      inputs[index].focus();
      return false;
    },
  };
}

// A range always has a value; until somebody moves or presses it, it counts as none and shows none.
function slider({ inputs: [range], fieldset }) {
  const shown = fieldset.querySelector("output");
  const unset = range.getAttribute("aria-valuetext");
  function set(value) {
    range.value = value ?? range.defaultValue;
    range.toggleAttribute("data-unset", value === null);
    shown.value = value ?? "–";
    if (value === null) range.setAttribute("aria-valuetext", unset);
    else range.removeAttribute("aria-valuetext");
  }
  const take = () => set(Number(range.value));
  range.addEventListener("input", take);
  const press = () => {
    if (!range.hasAttribute("data-unset")) return;
    take();  // the place where it stood: no input event tells of it
    range.dispatchEvent(new Event("change", { bubbles: true }));
  };
  range.addEventListener("click", press);
  range.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press();
  });
  return {
    early: () => range.value !== range.defaultValue,
    keep: take,
    value: () => (range.hasAttribute("data-unset") ? null : Number(range.value)),
    set: (value) => set(Number.isInteger(value) ? value : null),
    focus: () => range.focus(),
    press: () => null,
  };
}

function text({ inputs: [area] }) {
  return {
    early: () => area.value !== "",
    value: () => (area.value.trim() ? area.value : null),
    set: (value) => { area.value = value ?? ""; },
    focus: () => area.focus(),
    press: () => null,
  };
}

// The place of each text, 1 for the best: of the texts that stand on the page.
function rank({ inputs, fieldset, texts, criterion }) {
  const labels = [...fieldset.querySelectorAll(criterion.best_only ? ".level" : ".ranked")];
  labels.forEach((label, index) => { label.hidden = index >= texts; });
  if (criterion.best_only) {
    const best = choice({ inputs: inputs.slice(0, texts) });
    const shown = [...Array(texts).keys()];
    return {
      ...best,
      value: () => (best.early() ? shown.map((index) => (inputs[index].checked ? 1 : 2)) : null),
      set: (places) => { inputs.forEach((radio, index) => { radio.checked = places?.[index] === 1; }); },
    };
  }
  for (const radio of inputs) radio.parentElement.hidden = Number(radio.value) > texts;
  const rows = labels.slice(0, texts).map((label) => [...label.querySelectorAll("input")]);
  const place = (row) => { const chosen = row.find((radio) => radio.checked); return chosen ? Number(chosen.value) : null; };
  const open = () => rows.filter((row) => place(row) === null);
  const focus = (row) => (row.find((radio) => radio.checked) ?? row[0]).focus();
  return {
    early: () => rows.some((row) => place(row) !== null),
    lacks: () => open().length > 0,
    value: () => (open().length < rows.length ? rows.map(place) : null),
    set: (places) => {
      for (const radio of inputs) radio.checked = false;
      rows.forEach((row, index) => { const radio = row[(places?.[index] ?? 0) - 1]; if (radio) radio.checked = true; });
    },
    focus: () => focus(open()[0] ?? rows[0]),
    press: (index) => {
      if (index >= texts) return null;
      const row = rows.find((one) => one.includes(document.activeElement)) ?? open()[0] ?? rows[0];
      row[index].checked = true;
      if (open().length) focus(open()[0]);
      return open().length === 0;
    },
  };
}

export function createQuestions({ form, criteria, texts, changed, signal }) {
  const groups = criteria.filter(({ kind }) => kind in KINDS).map((criterion) => {
    const fieldset = document.getElementById(`question-${criterion.name}`);
    const inputs = [...fieldset.querySelectorAll("input, textarea")];
    return { criterion, fieldset, inputs, ...KINDS[criterion.kind]({ inputs, fieldset, texts, criterion }) };
  });
  const asked = ({ criterion: { only_if: condition } }) =>
    !condition || condition.values.includes(groups.find((g) => g.criterion.name === condition.question).value());
  const lacking = () => groups.filter((g) => asked(g) && !g.criterion.optional && (g.lacks?.() ?? g.value() === null));
  let last = null;

  function current() {
    const focused = groups.find((group) => group.fieldset.contains(document.activeElement));
    return focused ?? lacking()[0] ?? last ?? groups[0];
  }

  // Only the question that 1/2/3 would answer shows these numbers.
  function show() {
    for (const group of groups) group.fieldset.hidden = !asked(group);
    const now = current();
    for (const group of groups) group.fieldset.toggleAttribute("data-current", group === now);
  }

  function answer(index) {
    const group = current();
    const done = group?.press(index) ?? null;
    if (done === null) return;
    last = group;
    show();
    changed();
    if (done) (lacking()[0] ?? group).focus();
    show();
  }

  const take = (event) => {
    last = groups.find((group) => group.inputs.includes(event.target)) ?? last;
    show();
    changed();
  };
  form.addEventListener("change", take);
  form.addEventListener("input", (event) => { if (event.target.matches("textarea, [type=range]")) take(event); });
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("focusin", show, { signal });

  return {
    answer,
    // An answer that is not asked for is null: it stays on the page and is not sent.
    values: () => Object.fromEntries(groups.map((g) => [g.criterion.name, asked(g) ? g.value() : null])),
    lacking: () => lacking().map(({ criterion }) => criterion),
    // What was answered before this script ran stays; tells whether there was any of it.
    restore: (data) => {
      const early = groups.filter((group) => group.early());
      for (const group of groups) {
        if (early.includes(group)) group.keep?.();
        else group.set(data[group.criterion.name] ?? null);
      }
      show();
      return early.length > 0;
    },
    // Shows what is wrong at each question, in a place that is kept free for it.
    mark: (problems) => {
      for (const { criterion, fieldset } of groups) {
        const problem = problems.find(({ field }) => field === criterion.name);
        const state = document.getElementById(`question-${criterion.name}-state`);
        fieldset.classList.toggle("lacking", Boolean(problem));
        if (problem) fieldset.setAttribute("aria-invalid", "true");
        else fieldset.removeAttribute("aria-invalid");
        state.hidden = !problem;
        state.querySelector("span").textContent = problem?.message ?? "";
      }
    },
    focus: (name) => groups.find((group) => group.criterion.name === name)?.focus(),
  };
}
