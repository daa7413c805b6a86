// Where there is no task: at the end of the work, or in a pause of it.

import { startDialogs } from "./dialogs.js";
import { startFeedback } from "./feedback.js";
import { readJson } from "./json_data.js";
import { startWaiting } from "./waiting.js";

export function start({ data: { finished }, api }) {
  startDialogs();
  startWaiting({ api, finished });
  startFeedback({ api, strings: readJson("work-strings") });
}
