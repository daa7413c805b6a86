// A correction of the text submitted last: all of the instrument, and no draft on the server. What is
// entered is kept in this browser, where it has a storage, until it is sent.

import { startActiveTime } from "./active_time.js";
import { goTo } from "./addresses.js";
import { readJson } from "./json_data.js";
import { createLocalCopy } from "./local_copy.js";
import { startShortcuts } from "./shortcuts.js";
import { createStatusBar } from "./status_bar.js";
import { createSubmitter } from "./submitting.js";

export function start({ data, api, announce, createInstrument, createHelp, createSignals }) {
  const { assignment, correcting: { after, seconds } } = data;
  const life = new AbortController();
  const { signal } = life;
  const strings = readJson("work-strings");
  const bar = createStatusBar(strings);
  const local = createLocalCopy({ id: `correction-${assignment.id}-${after}`, text: assignment.text });
  const copy = local.read();
  const entered = copy?.data ?? assignment.draft.data;
  const time = startActiveTime({
    seconds: entered.active_seconds, element: document.getElementById("timer"), signal,
  });
  const instrument = createInstrument({ assignment, strings, announce, changed: () => changed(), signal });
  const early = instrument.restore(entered);
  const moveOn = ({ next }) => {
    life.abort();
    local.remove();
    goTo(next);
  };
  const submitter = createSubmitter({
    api, strings, bar, instrument, assignment, moveOn, signal, keep, more: { after },
    signals: createSignals({ assignment, resumed: Boolean(copy) || early, signal }),
    seconds: time.seconds, button: document.getElementById("submit"),
  });
  const open = createHelp({ api, bar, strings, moveOn, signal });
  startShortcuts({ submit: submitter.submit, open, keys: instrument.keys, signal });

  function keep() {
    return local.write(0, { ...instrument.read(), active_seconds: time.seconds() });
  }

  function changed() {
    if (keep()) document.getElementById("saved-text").textContent = strings.corrected_kept_here;
    submitter.changed();
  }

  // A unit that is done waits for this no longer than corrections are taken.
  if (seconds !== undefined) setTimeout(() => goTo(data.urls.page), seconds * 1000);
  if (document.activeElement === document.body) document.getElementById("text").focus({ preventScroll: true });
}
