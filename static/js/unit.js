// A paid unit that is over: waits a moment for a correction of its last text, is handed in
// automatically the first time, or looks again for work.

import { goTo } from "./addresses.js";
import { createApi } from "./api.js";
import { readJson } from "./json_data.js";
import { startOwnPage } from "./own_page.js";
import { startShortcuts } from "./shortcuts.js";
import { startWaiting } from "./waiting.js";

const data = readJson("work-data");
const handIn = document.getElementById("hand-in");

startOwnPage(data.own);
startWaiting({ api: createApi(data), finished: data.finished });
if (data.wait) waitToHandIn(performance.now() + data.wait * 1000);
else if (handIn?.dataset.byItself !== undefined) {
  if (handIn instanceof HTMLFormElement) handIn.submit();
  else goTo(handIn.href);
}

function waitToHandIn(end) {
  const now = document.getElementById("hand-in-now");
  const left = document.getElementById("seconds");
  const correct = document.getElementById("correct");
  const timer = setInterval(count, 200);
  const handInNow = () => {
    clearInterval(timer);
    goTo(now.href);
  };
  correct.addEventListener("click", () => clearInterval(timer));
  // Back from the correction, a browser may show this page as it was left.
  addEventListener("pageshow", (event) => { if (event.persisted) goTo(data.urls.page); });
  startShortcuts({ submit: handInNow, open: () => {}, keys: { z: () => correct.click() } });
  now.focus({ preventScroll: true });

  function count() {
    const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    if (left.textContent !== `${seconds}`) left.textContent = `${seconds}`;
    if (!seconds) handInNow();
  }
}
