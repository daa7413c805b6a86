// One question of a tutorial: answer it once, read why it is right or not, and go on.
//
// A kind offers response(), missing() (a list of {text, href, focus}), keys, focus(), and
// explain(result, isRight) for notes of its own.

import { startActiveTime } from "./active_time.js";
import { createApi } from "./api.js";
import { anyOpen, startDialogs } from "./dialogs.js";
import { readJson } from "./json_data.js";
import { createStatusBar } from "./status_bar.js";
import { watchTranslation } from "./translation.js";
import { createKind } from "./tutorial_kinds.js";

const data = readJson("work-data");
const strings = readJson("work-strings");
const { tutorial, preview } = data;  // `preview`: a researcher looks at all of it, and passes nothing
// A researcher's session is what counts then.
const api = createApi(data, preview && { credentials: "same-origin", key: { "X-CSRFToken": data.csrf } });
const bar = createStatusBar(strings);
const check = document.getElementById("check");
const next = document.getElementById("next");
const feedback = document.getElementById("feedback");
const label = check.querySelector("span");
const usual = label.textContent;
const time = startActiveTime({ element: document.createElement("span") });
const announce = (text) => { document.getElementById("announce").textContent = text; };
const kind = createKind(tutorial, { strings, announce, changed });
let busy = false;
let done = false;
let onward = reload;

function reload() {
  location.replace(api.pageUrl);
}

function changed() {
  if (done) return;
  bar.clear();
}

async function send() {
  if (busy || done || check.hidden) return;
  const missing = kind.missing();
  if (missing.length) {
    bar.missing(missing);
    missing[0].focus();
    return;
  }
  bar.clear();
  busy = true;
  label.textContent = strings.checking;
  const answer = await api.call("answer", "POST", {
    version: tutorial.version, round: tutorial.round, question: tutorial.question,
    response: kind.response(), active_seconds: time.seconds(), ...preview,
  });
  busy = false;
  label.textContent = usual;
  take(answer);
}

function take({ status, body }) {
  if (status === 422) return bar.notice(Object.values(body.errors).join(" "));
  if (status === 0) return bar.notice(strings.no_connection);
  if (status !== 200) return bar.notice(body.message ?? strings.no_connection, { href: api.pageUrl, text: strings.reload });
  if (tutorial.kind === "example") return body.passed ? finish(body) : reload();
  explain(body);
  if (!preview) goOn(body);
}

// Says why, in words and with an icon, and reads it out.
function explain({ correct, feedback: said, paragraphs, ended = "" }) {
  const lines = paragraphs.length ? [strings.see_paragraphs] : said;
  feedback.hidden = false;
  feedback.className = `note feedback ${correct ? "good" : "warn"}`;
  show(feedback, correct ? "right" : "wrong");
  document.getElementById("feedback-lines").replaceChildren(...lines.map(line));
  kind.explain?.(paragraphs, show);
  announce([correct ? strings.right : strings.not_yet, ...said, ended].filter(Boolean).join(". "));
  const over = document.getElementById("round-over");
  over.hidden = !ended;
  over.textContent = ended;
  const wrong = document.querySelector(".said.warn");
  (wrong?.closest(".paragraph") ?? feedback).scrollIntoView({ block: "nearest" });
}

function show(note, result) {
  for (const part of note.querySelectorAll("[data-result]")) part.hidden = part.dataset.result !== result;
}

function line(text) {
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  return paragraph;
}

function goOn(body) {
  done = true;
  kind.lock?.();
  check.hidden = true;
  next.hidden = false;
  next.focus({ preventScroll: true });
  onward = body.passed ? () => finish(body) : reload;
}

function finish({ promised, due }) {
  done = true;
  document.getElementById("tutorial").hidden = true;
  document.getElementById("foot").hidden = true;
  document.getElementById("done").textContent = strings.finished;
  document.getElementById("passed").hidden = false;
  const said = document.getElementById("promised");
  said.hidden = !promised;
  said.querySelector("span").textContent = promised;
  document.getElementById("due").textContent = due;
  document.getElementById("passed-h").focus();
  scrollTo(0, 0);
}

// On the last page Enter is "Start", wherever the focus is, but on another link.
function startsWork({ key, repeat, target, ctrlKey, metaKey, altKey }) {
  const passed = document.getElementById("passed");
  const held = repeat || ctrlKey || metaKey || altKey;
  return key === "Enter" && !held && passed && !passed.hidden && !target.closest("a, button");
}

const isTyping = (element) => element.matches?.("textarea, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.isComposing || anyOpen()) return;
  if (done) {
    if (startsWork(event)) reload();
    return;
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    send();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
  const action = kind.keys?.[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action();
});
check.addEventListener("click", send);
// Links, so that they work like any other; without a trace in the history of the frame.
for (const [link, go] of [[next, () => onward()], [document.getElementById("start"), reload]]) {
  link?.addEventListener("click", (event) => { event.preventDefault(); go(); });
}
startDialogs();
watchTranslation();
document.documentElement.dataset.ready = "yes";
if (document.activeElement === document.body) document.getElementById("prompt").focus({ preventScroll: true });
document.dispatchEvent(new Event("started"));
