// What every instrument's page does around the work itself.
//
// An instrument offers: restore(data) (true if something was answered before the script ran),
// read() (the draft), response() (what is submitted), missing() and problems(errors) (lists of
// {field, text, href, focus}), mark(problems), keys. It is made anew for each task: the next one
// is put in place without a page load, and `signal` ends what the one before has started.

import { startActiveTime } from "./active_time.js";
import { goTo } from "./addresses.js";
import { createApi } from "./api.js";
import { createAutosave } from "./autosave.js";
import { startDialogs } from "./dialogs.js";
import { startHeartbeat } from "./heartbeat.js";
import { readJson, same } from "./json_data.js";
import { createLocalCopy } from "./local_copy.js";
import { startReturning } from "./returning.js";
import { startShortcuts } from "./shortcuts.js";
import { createStatusBar } from "./status_bar.js";
import { createSubmitter } from "./submitting.js";

export function startShell(createInstrument, { isNew = false } = {}) {
  const data = readJson("work-data");
  const api = createApi(data);
  startDialogs();
  if (data.example) tryOut(data, createInstrument);
  else if (data.assignment) work(data.assignment, api, createInstrument, isNew);
  else rest(data, api);
}

// Only where there is no task, and so not loaded with one.
async function rest({ finished }, api) {
  const [{ startWaiting }, { startFeedback }] = await Promise.all([import("./waiting.js"), import("./feedback.js")]);
  startWaiting({ api, finished });
  startFeedback({ api, strings: readJson("work-strings") });
}

async function tryOut(data, createInstrument) {
  const { startExample } = await import("./example.js");
  startExample({ data, announce: createAnnounce(), createInstrument });
}

function work(assignment, api, createInstrument, isNew) {
  const life = new AbortController();
  const { signal } = life;
  const strings = readJson("work-strings");
  const bar = createStatusBar(strings);
  const announce = createAnnounce();
  const local = createLocalCopy(assignment);
  const { data, fromServer } = newest(assignment.draft, local.read());
  const time = startActiveTime({ seconds: data.active_seconds, element: document.getElementById("timer"), signal });
  const instrument = createInstrument({ assignment, strings, announce, changed: () => onChange(), signal });
  const early = instrument.restore(data);

  const autosave = createAutosave({
    api, assignment, local, read: instrument.read, seconds: time.seconds, signal,
    show: (state, message) => {
      bar.draft(state);
      if (state === "stale") bar.notice(message, { href: api.pageUrl, text: strings.reload });
      if (state === "refused") bar.notice(message, { href: api.pageUrl, text: strings.next });
    },
  });
  const next = createLater({ api, assignment, started: () => startShell(createInstrument, { isNew: true }) });
  const moveOn = (answer) => {
    autosave.stop();
    life.abort();
    next.show(answer);
  };
  const submitter = createSubmitter({
    api, strings, bar, instrument, assignment, moveOn, signal,
    seconds: time.seconds, button: document.getElementById("submit"), keep: autosave.flush,
  });
  startHeartbeat({ api, isUsed: time.isUsed, isNew, expired: () => bar.notice(strings.expired), signal });
  startReturning({ api, strings, moveOn });
  startShortcuts({ submit: submitter.submit, keys: instrument.keys, signal });

  function onChange() {
    autosave.changed();
    submitter.changed();
    next.fetch();
  }

  autosave.begin({ fromServer: fromServer && !early });
  document.getElementById("text").focus({ preventScroll: true });
}

// The way to the next task, loaded with the first answer; where that fails the page is loaded.
function createLater(options) {
  let loading = null;
  const load = () => {
    loading ??= import("./next_task.js").then(({ createNext }) => createNext(options), () => null);
    return loading;
  };
  return {
    fetch: async () => (await load())?.fetch(),
    show: async (answer) => {
      const next = await load();
      return next ? next.show(answer) : goTo(answer.next);
    },
  };
}

// Bound to the live region of its own task: a late word of the last one is not heard in the next.
function createAnnounce() {
  const region = document.getElementById("announce");
  return (text) => { region.textContent = text; };
}

// What this browser kept counts only if it was typed on top of the server's revision.
function newest(server, copy) {
  const answers = ({ active_seconds: _time, ...rest }) => rest;
  if (copy && copy.revision === server.revision) {
    return { data: copy.data, fromServer: same(answers(copy.data), answers(server.data)) };
  }
  return { data: server.data, fromServer: true };
}
