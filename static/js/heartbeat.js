// Keeps the text reserved while its page is visible and used.

import { OfflineError } from "./api.js";

const EVERY = 60_000;

export function startHeartbeat({ api, isUsed, expired }) {
  let last = Date.now();
  let timer = setInterval(beat, EVERY);

  async function beat() {
    if (!timer || !isUsed()) return;
    last = Date.now();
    try {
      const { status } = await api.call("heartbeat", "POST");
      if (status === 410 && timer) {
        stop();
        expired();
      }
    } catch (error) {
      if (!(error instanceof OfflineError)) throw error;
    }
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && Date.now() - last > EVERY) beat();
  });
  return { stop };
}
