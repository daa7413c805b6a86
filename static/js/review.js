// A reviewer's keys, and the draft of the answer that goes with the chosen ruling.

import { anyOpen, openDialog, startDialogs } from "./dialogs.js";

const OFF = "plumbline:shortcuts-off";
const form = document.querySelector("[data-ruling]");
const reason = document.getElementById("reason");
let draft = "";

const isTyping = (element) =>
  element.matches?.("textarea, [contenteditable], input:not([type=radio], [type=checkbox])");

function follow(link) {
  const found = document.querySelector(link);
  if (found) window.location.assign(found.href);
}

function choose(radio) {
  // What somebody has typed is theirs: only an untouched draft gives way to another.
  if (reason.value === draft) {
    draft = radio.dataset.draft;
    reason.value = draft;
  }
  form.querySelector("[data-says]").textContent = radio.dataset.button;
}

function pick(number) {
  const radio = form?.querySelectorAll("[name=choice]")[number - 1];
  if (!radio) return;
  radio.checked = true;
  radio.focus();
  choose(radio);
}

function stored(action) {
  try {
    return action(window.localStorage);
  } catch {
    return null;
  }
}

function startForm() {
  let sent = false;
  form.addEventListener("change", (event) => {
    if (event.target.name === "choice") choose(event.target);
  });
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  // Coming back to this page from the history must not find it spent.
  window.addEventListener("pageshow", () => { sent = false; });
  const chosen = form.querySelector("[name=choice]:checked");
  if (chosen) choose(chosen);
}

function startSwitch() {
  const single = document.getElementById("shortcuts");
  if (!single) return () => true;
  single.checked = stored((store) => store.getItem(OFF)) !== "1";
  single.addEventListener("change", () => {
    stored((store) => (single.checked ? store.removeItem(OFF) : store.setItem(OFF, "1")));
  });
  return () => single.checked;
}

startDialogs();
if (form) startForm();
const keysOn = startSwitch();

document.addEventListener("keydown", (event) => {
  if (anyOpen() || event.isComposing || event.repeat) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    if (!form || !event.target.closest?.("form:not([data-ruling])")) {
      event.preventDefault();
      form?.requestSubmit();
    }
    return;
  }
  if (event.key === "Escape" && isTyping(event.target)) event.target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || !keysOn() || isTyping(event.target)) return;
  if (event.key === "j") follow("[data-next]");
  else if (event.key === "k") follow("[data-previous]");
  else if (event.key === "?" && document.getElementById("keys")) openDialog("keys");
  else if (/^[1-9]$/.test(event.key)) pick(Number(event.key));
  else return;
  event.preventDefault();
});
