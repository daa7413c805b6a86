// What opens beside the work: instructions, keys, the question before a task is given back. The page
// of an example holds it; for work it is asked of the server when something is opened, and kept.

import { letClose, openDialog } from "./dialogs.js";
import { singleKeys } from "./shortcuts.js";

const started = new WeakSet();
let kept = null;  // what the server sent, for every task that is put into this page

// Resolves to whether there was something to open.
export async function open(id, task) {
  if (!document.getElementById(id)) await bring(task);
  const dialog = document.getElementById(id);
  if (!dialog) return task.signal.aborted;
  if (!started.has(dialog)) start(task);
  openDialog(id);
  return true;
}

async function bring({ api, signal }) {
  const page = kept ?? await api.load(`${api.pageUrl}help/`);
  if (!page?.querySelector("dialog")) return;
  kept = page;
  if (signal.aborted || document.querySelector("dialog")) return;
  const parts = Array.from(page.querySelectorAll("link, dialog"), (part) => document.importNode(part, true));
  const styled = Promise.race(["load", "error"].map((event) => once(parts[0], event)));
  document.getElementById("main").append(...parts);
  await styled;
}

const once = (element, event) => new Promise((resolve) => { element.addEventListener(event, resolve); });

function start(task) {
  for (const dialog of document.querySelectorAll("dialog")) {
    started.add(dialog);
    letClose(dialog);
  }
  const single = document.getElementById("shortcuts");
  single.checked = singleKeys.on();
  single.addEventListener("change", () => singleKeys.set(single.checked));
  document.getElementById("give-back-yes")?.addEventListener("click", () => giveBack(task));
}

async function giveBack({ api, strings, moveOn }) {
  const problem = document.getElementById("give-back-problem");
  problem.textContent = "";
  const { status, body } = await api.call("return", "POST");
  if (status !== 200) {
    problem.textContent = body.message ?? strings.no_connection;
    return;
  }
  document.getElementById("give-back").close();
  moveOn(body);
}
