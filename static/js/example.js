// An example: all of the instrument, nothing that stores or sends.

import { readJson } from "./json_data.js";
import { startShortcuts } from "./shortcuts.js";
import { createStatusBar } from "./status_bar.js";

export function start({ data: { assignment, example }, api, createInstrument, createHelp, announce }) {
  const { signal } = new AbortController();
  const strings = readJson("work-strings");
  const bar = createStatusBar(strings);
  const submit = () => bar.notice(example.message, example.link);
  const instrument = createInstrument({ assignment, strings, announce, changed: bar.clear, signal });
  instrument.restore({});
  document.getElementById("submit").addEventListener("click", submit);
  startShortcuts({ submit, open: createHelp({ api, bar, strings, signal }), keys: instrument.keys, signal });
}
