// What every instrument's page does around the work itself. What an instrument offers it, and when
// it is made anew, is in CONTRIBUTING.md.

import { startActiveTime } from "./active_time.js";
import { goTo } from "./addresses.js";
import { createApi } from "./api.js";
import { createAutosave } from "./autosave.js";
import { startHeartbeat } from "./heartbeat.js";
import { readJson, same } from "./json_data.js";
import { createLocalCopy } from "./local_copy.js";
import { startShortcuts } from "./shortcuts.js";
import { createStatusBar } from "./status_bar.js";
import { createSubmitter } from "./submitting.js";
import { watchTranslation } from "./translation.js";

watchTranslation();

// blank: the page before any script has changed it. held: the next task, if it is here already.
export async function startShell(createInstrument, { blank = blankPage(), held = null } = {}) {
  const data = readJson("work-data");
  const api = createApi(data);
  const announce = createAnnounce();
  if (data.assignment && !data.example && !data.correcting) work({ data, blank, held, api, announce, createInstrument });
  else {
    const correcting = () => (data.correcting ? import("./correcting.js") : import("./rest.js"));
    const { start } = await (data.example ? import("./example.js") : correcting());
    start({ data, api, announce, createInstrument, createHelp, createSignals });
  }
  document.dispatchEvent(new Event("started"));
}

// Opens what stands beside the work, whose script is loaded with the first press on it.
function createHelp({ bar, strings, ...task }) {
  const open = async (id) => {
    const help = await import("./help.js").catch(() => null);
    if (!(await help?.open(id, { strings, ...task }))) bar.notice(strings.no_connection);
  };
  for (const opener of document.querySelectorAll("[data-opens]")) {
    opener.addEventListener("click", () => open(opener.dataset.opens));
  }
  return open;
}

// What is said only once is not in it.
function blankPage() {
  const blank = document.body.cloneNode(true);
  for (const once of blank.querySelectorAll("noscript, [data-once]")) once.remove();
  return blank;
}

function work({ data: page, blank, held, api, announce, createInstrument }) {
  const { assignment } = page;
  const life = new AbortController();
  const { signal } = life;
  const strings = readJson("work-strings");
  const bar = createStatusBar(strings);
  const local = createLocalCopy(assignment);
  const { data, revision, fromServer } = newest(assignment.draft, local.read());
  const time = startActiveTime({ seconds: data.active_seconds, element: document.getElementById("timer"), signal });
  const instrument = createInstrument({ assignment, strings, announce, changed: () => onChange(), signal });
  const early = instrument.restore(data);
  const signals = createSignals({ assignment, resumed: revision > 0 || early, signal });

  const autosave = createAutosave({
    api, revision, local, strings, read: instrument.read, seconds: time.seconds, signal,
    show: (state, message, way) => {
      bar.draft(state);
      if (message) bar.notice(message, way && { href: api.pageUrl, text: way });
    },
  });
  const next = createLater({
    api, data: page, blank, held, started: (more) => startShell(createInstrument, { blank, ...more }),
  });
  const moveOn = (answer) => {
    autosave.stop();
    life.abort();
    next.show(answer);
  };
  const submitter = createSubmitter({
    api, strings, bar, instrument, assignment, moveOn, signals, signal,
    seconds: time.seconds, button: document.getElementById("submit"), keep: autosave.flush,
  });
  startHeartbeat({ api, isUsed: time.isUsed, expired: () => bar.notice(strings.expired), signal });
  const open = createHelp({ api, bar, strings, moveOn, signal });
  const correct = () => document.querySelector("#correct:not(:empty)")?.click();
  startShortcuts({ submit: submitter.submit, open, keys: { z: correct, s: turnSource, ...instrument.keys }, signal });

  function onChange() {
    autosave.changed();
    submitter.changed();
    next.fetch();
  }

  autosave.begin({ fromServer: fromServer && !early });
  if (document.activeElement === document.body) document.getElementById("text").focus({ preventScroll: true });
}

// What the page counts, in studies that say so; loaded there alone. undefined elsewhere.
function createSignals({ assignment, ...task }) {
  if (!assignment.signals) return () => undefined;
  let counted = null;
  import("./page_signals.js").then(({ createPageSignals }) => {
    counted = createPageSignals({ text: assignment.text ?? "", ...task });
  }, () => null);
  return () => counted?.();
}

// The way to the next task, loaded with the first answer.
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

function turnSource() {
  const all = [...document.querySelectorAll("details.as-written")];
  const open = all.some((one) => !one.open);
  for (const one of all) one.open = open;
}

// A late word of the last task is not heard in the next.
function createAnnounce() {
  const region = document.getElementById("announce");
  return (text) => { region.textContent = text; };
}

// What this browser kept counts if it was typed on top of the server's revision, or of a later one
// that another tab has saved while this page was on its way.
function newest(server, copy) {
  const answers = ({ active_seconds: _time, ...rest }) => rest;
  if (!copy || copy.revision < server.revision) return { ...server, fromServer: true };
  const isSame = copy.revision === server.revision && same(answers(copy.data), answers(server.data));
  return { ...copy, fromServer: isSame };
}
