// Keeps the draft: at once in this browser, a moment later on the server, under a revision.

import { same } from "./json_data.js";

const PAUSE = 600;
const AGAIN = 5000;

export function createAutosave({ api, revision, local, strings, read, seconds, show, signal }) {
  let started = read();  // what this page began with, whether from the server or from here
  let saved = null;  // what the server is known to have
  let timer = 0;
  let sending = null;
  let over = false;

  const full = (answers) => ({ ...answers, active_seconds: seconds() });
  const dirty = () => !over && !same(read(), saved);

  function begin({ fromServer }) {
    started = read();
    saved = fromServer ? started : null;
    if (!fromServer) schedule(0);
  }

  function changed() {
    if (over) return;
    if (!dirty()) return settle();
    show(local.write(revision, full(read())) ? "saving" : "unsaved");
    schedule(PAUSE);
  }

  // Undone before it was sent: neither the server nor this browser may bring it back.
  function settle() {
    if (!timer) return;
    stopTimer();
    local.write(revision, full(read()));
    if (!sending) show("saved");
  }

  function stopTimer() {
    clearTimeout(timer);
    timer = 0;
  }

  function schedule(delay) {
    clearTimeout(timer);
    timer = setTimeout(flush, delay);
  }

  function flush(options) {
    stopTimer();
    if (!dirty()) return sending ?? Promise.resolve();
    sending ??= save(options).finally(() => { sending = null; });
    return sending;
  }

  async function save(options) {
    const answers = read();
    const { status, body } = await api.call("draft", "PUT", { revision, data: full(answers) }, options);
    if (status === 200) return accept(body.revision, answers);
    if (status === 0) return keepHere();
    if (status === 409 && body.error === "stale") return catchUp(body);
    over = status !== 413;  // it can be made shorter
    show("refused", body.message, over && strings.next);
  }

  function keepHere() {
    show(local.write(revision, full(read())) ? "kept_here" : "unsaved");
    schedule(AGAIN);
  }

  function accept(newRevision, answers) {
    if (over) return;
    revision = newRevision;
    saved = answers;
    local.write(revision, full(read()));
    if (!dirty()) return show("saved");
    show("saving");  // something was answered while this was on its way
    schedule(PAUSE);
  }

  // The server has a newer revision: our own last words on leaving the page, or another tab's.
  function catchUp({ message, draft }) {
    const { active_seconds: _time, ...answers } = draft.data;
    if (same(answers, started) || same(answers, read())) return accept(draft.revision, answers);
    over = true;
    show("stale", message, strings.reload);
  }

  // Leaving: the local copy is certain, the request may still make it.
  function leave() {
    if (over) return;
    local.write(revision, full(read()));
    if (!sending) flush({ keepalive: true });
  }

  function stop() {
    over = true;
    stopTimer();
    local.remove();
  }

  document.addEventListener("visibilitychange", () => document.hidden && leave(), { signal });
  window.addEventListener("pagehide", leave, { signal });
  window.addEventListener("online", () => schedule(0), { signal });
  return { begin, changed, flush, stop };
}
