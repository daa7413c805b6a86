// Radio groups with levels: which question is meant by 1/2/3, and which has no answer yet.

export function createQuestions({ form, criteria, changed, signal }) {
  const groups = criteria.map((criterion) => ({
    criterion,
    fieldset: document.getElementById(`question-${criterion.name}`),
    radios: [...form.querySelectorAll(`input[name="${criterion.name}"]`)],
  }));
  const checked = (group) => group.radios.find((radio) => radio.checked);
  const unanswered = () => groups.find((group) => !checked(group));
  let last = null;

  function current() {
    const focused = groups.find((group) => group.fieldset.contains(document.activeElement));
    return focused ?? unanswered() ?? last ?? groups[0];
  }

  // Only the question that 1/2/3 would answer shows these numbers.
  function showCurrent() {
    const now = current();
    for (const group of groups) group.fieldset.toggleAttribute("data-current", group === now);
  }

  const focusGroup = (group) => (checked(group) ?? group.radios[0]).focus();

  function answer(index) {
    const group = current();
    const radio = group.radios[index];
    if (!radio) return;
    radio.checked = true;
    last = group;
    changed();
    focusGroup(unanswered() ?? group);
    showCurrent();
  }

  form.addEventListener("change", (event) => {
    last = groups.find((group) => group.radios.includes(event.target)) ?? last;
    changed();
    showCurrent();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("focusin", showCurrent, { signal });

  return {
    answer,
    values: () =>
      Object.fromEntries(groups.map((g) => [g.criterion.name, checked(g) ? Number(checked(g).value) : null])),
    // What was answered before this script ran stays; tells whether there was any of it.
    restore: (data) => {
      const early = groups.filter(checked);
      for (const { criterion, radios } of groups.filter((group) => !early.includes(group))) {
        for (const radio of radios) radio.checked = radio.value === String(data[criterion.name]);
      }
      showCurrent();
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
    focus: (name) => focusGroup(groups.find((group) => group.criterion.name === name)),
  };
}
