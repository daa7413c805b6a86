// The form of an instrument: shows its page beside the form, anew when somebody pauses.
const PAUSE = 600; // milliseconds
const form = document.getElementById("instrument-form");
const live = document.getElementById("live");
const page = document.getElementById("live-page");
const words = document.getElementById("live-words");
const FIRST = "Write the words of the instrument, and the page appears here.";
let timer = 0;
let asked = 0;

function say(text) {
  if (words.textContent !== text) words.textContent = text;
}

// What keeps the page from being shown: the answer's own list, or why the form was not taken.
function problems(answer) {
  const found = [...answer.querySelectorAll("#problems li")].map((one) => one.textContent);
  const cause = answer.querySelector("[data-cause]");
  return cause ? [`${cause.textContent}. Press “Define it” to go on.`] : found;
}

// The page stands still: it could take the focus from the field in which somebody writes.
function still(answer) {
  for (const one of answer.querySelectorAll("script, noscript, link[rel=modulepreload], #example")) one.remove();
  return `<!doctype html>${answer.documentElement.outerHTML}`;
}

function explain(found) {
  const [first, ...rest] = found;
  if (!first) return say("The page cannot be shown at this moment. Try the preview in a new tab.");
  say(`${page.hidden ? "" : "The page is of before. "}${first}${rest.length ? ` And ${rest.length} more.` : ""}`);
}

async function draw() {
  const mine = ++asked;
  const body = new FormData(form);
  body.set("act", "preview");
  try {
    const answer = await fetch(form.action, { method: "POST", body, redirect: "error" });
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== asked) return;
    if (!answer.ok) return explain(problems(found));
    page.srcdoc = still(found);
    page.hidden = false;
    say("");
  } catch {
    if (mine === asked) explain([]);
  }
}

live.hidden = false;
const isBlank = () => !form.elements.label.value && !form.elements.task.value;
form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(draw, PAUSE);
});
if (isBlank()) say(FIRST);
else draw();
