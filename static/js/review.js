// A reviewer's keys, and the draft of the answer that goes with the chosen ruling.

import { anyOpen, openDialog, startDialogs } from "./dialogs.js";
import { rowOf, startRows, stepRow, tickAll, tickRow } from "./review_rows.js";

const OFF = "plumbline:shortcuts-off";
const form = document.querySelector("[data-ruling], [data-together]");
const reason = document.getElementById("reason");
let draft = "";

// Keys belong to a field that takes letters: text, and lists, which find an entry by its letter.
const takesLetters = (element) =>
  element.matches?.("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])");

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
  const radio = form?.querySelectorAll("[name=choice][type=radio]")[number - 1];
  if (!radio) return;
  radio.checked = true;
  radio.focus();
  choose(radio);
}

function go(selector) {
  const found = document.querySelector(selector);
  found?.focus();
  found?.scrollIntoView({ block: "nearest" });
}

function write() {
  const field = reason ?? rowOf(document.activeElement)?.querySelector("textarea");
  field?.focus();
  field?.scrollIntoView({ block: "nearest" });
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
    if (event.target.name === "choice" && event.target.type === "radio") choose(event.target);
  });
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  // Coming back to this page from the history must not find it spent.
  window.addEventListener("pageshow", () => { sent = false; });
  const chosen = form.querySelector("[name=choice]:checked");
  if (chosen?.type === "radio") choose(chosen);
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

function give(event) {
  const other = event.target.closest?.("form:not([data-ruling], [data-together])");
  if (other && !other.matches(".tools")) return;
  event.preventDefault();
  if (other) {
    other.requestSubmit();
    return;
  }
  form?.requestSubmit(event.shiftKey ? form.querySelector("[data-and-next]") : undefined);
}

const KEYS = {
  j: () => stepRow(1) || follow("[data-next]"),
  k: () => stepRow(-1) || follow("[data-previous]"),
  x: tickRow,
  a: tickAll,
  s: () => follow("[data-start]"),
  r: () => go("#together-choice"),
  t: write,
  u: () => form?.elements.unopened?.click(),
  e: () => go("#screens-h"),
  w: () => go("#judgments"),
  n: () => follow("a[rel=next]"),
  p: () => follow("a[rel=prev]"),
  q: () => follow("[data-queue]"),
  "/": () => go("#list-q"),
  "?": () => document.getElementById("keys") && openDialog("keys"),
};

startDialogs();
if (form) startForm();
startRows();
const keysOn = startSwitch();

document.addEventListener("keydown", (event) => {
  if (anyOpen() || event.isComposing || event.repeat || event.defaultPrevented) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    give(event);
    return;
  }
  if (event.key === "Escape" && takesLetters(event.target)) event.target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (!keysOn() || takesLetters(event.target)) return;
  if (/^[1-9]$/.test(event.key)) pick(Number(event.key));
  else if (Object.hasOwn(KEYS, event.key)) KEYS[event.key]();
  else return;
  event.preventDefault();
});
