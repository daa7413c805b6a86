// What every instrument's page does around the work itself.
//
// An instrument offers: restore(data) (true if something was answered before the script ran),
// read() (the draft), response() (what is submitted),
// missing() and problems(errors) (lists of {field, text, href, focus}), mark(problems), keys.

import { startActiveTime } from "./active_time.js";
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
import { startWaiting } from "./waiting.js";

export function startShell(createInstrument) {
  const data = readJson("work-data");
  const api = createApi(data);
  startDialogs();
  if (data.assignment) work(data.assignment, api, createInstrument);
  else startWaiting({ api, finished: data.finished });
}

export function announce(text) {
  document.getElementById("announce").textContent = text;
}

function work(assignment, api, createInstrument) {
  const strings = readJson("work-strings");
  const bar = createStatusBar(strings);
  const local = createLocalCopy(assignment);
  const { data, fromServer } = newest(assignment.draft, local.read());
  const time = startActiveTime({ seconds: data.active_seconds, element: document.getElementById("timer") });
  const instrument = createInstrument({ assignment, strings, announce, changed: () => onChange() });
  const early = instrument.restore(data);

  const autosave = createAutosave({
    api, assignment, local, read: instrument.read, seconds: time.seconds,
    show: (state, message) => {
      bar.draft(state);
      if (state === "stale") bar.notice(message, { href: api.pageUrl, text: strings.reload });
      if (state === "refused") bar.notice(message, { href: api.pageUrl, text: strings.next });
    },
  });
  const heartbeat = startHeartbeat({
    api, isUsed: time.isUsed, expired: () => bar.notice(strings.expired),
  });
  const done = () => { autosave.stop(); heartbeat.stop(); };
  const submitter = createSubmitter({
    api, strings, bar, instrument, done, seconds: time.seconds, button: document.getElementById("submit"),
  });
  startReturning({ api, strings, done });
  startShortcuts({ submit: submitter.submit, keys: instrument.keys });

  function onChange() {
    autosave.changed();
    submitter.changed();
  }

  autosave.begin({ fromServer: fromServer && !early });
  document.getElementById("text").focus({ preventScroll: true });
}

// What this browser kept counts only if it was typed on top of the server's revision.
function newest(server, copy) {
  const answers = ({ active_seconds: _time, ...rest }) => rest;
  if (copy && copy.revision === server.revision) {
    return { data: copy.data, fromServer: same(answers(copy.data), answers(server.data)) };
  }
  return { data: server.data, fromServer: true };
}
