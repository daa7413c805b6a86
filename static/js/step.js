// A step of a new campaign. What was chosen and not sent yet stays: over a reload of the page, and
// over a part of the form that the server sends late. What the server complained about goes once it
// was changed.
import { forgetChanged } from "./problems.js";

const form = document.getElementById("step");
const key = `${location.pathname} ${form.elements.revision.value}`;
const chosen = JSON.parse(sessionStorage.getItem(key) ?? "{}"); // the name of a field -> its values

// One choice in several fields: a number of the file that appears later is none of it.
const METRICS = ["metric_choice", "metric_names", "metric_columns"];

function keep({ target }) {
  if (!target.name) return;
  const all = new FormData(form);
  const names = METRICS.includes(target.name) ? METRICS : [target.name];
  for (const name of names) chosen[name] = all.getAll(name);
  sessionStorage.setItem(key, JSON.stringify(chosen));
}

function restore() {
  for (const [name, values] of Object.entries(chosen)) {
    for (const field of form.querySelectorAll(`[name="${CSS.escape(name)}"]`)) fill(field, values);
  }
}

function fill(field, values) {
  if (field.type === "checkbox" || field.type === "radio") {
    field.checked = values.includes(field.value);
    if (field.checked) field.closest("details")?.setAttribute("open", "");
  } else if (!field.options || [...field.options].some(({ value }) => value === values[0])) {
    field.value = values[0] ?? "";
  }
}

const { instrument } = form.elements;
const shown = instrument?.value;
restore();
for (const kind of ["change", "input"]) form.addEventListener(kind, keep);
document.addEventListener("htmx:afterSwap", restore);
document.addEventListener("DOMContentLoaded", () => {
  // The tutorials below belong to the instrument that the server knows.
  if (instrument?.value !== shown) instrument.dispatchEvent(new Event("change", { bubbles: true }));
});
forgetChanged(form);
