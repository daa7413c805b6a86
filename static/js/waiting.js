// Without work: looks again now and then, as long as that can help.

import { goTo } from "./addresses.js";
import { OfflineError } from "./api.js";

const EVERY = 15_000;

export function startWaiting({ api, finished }) {
  const heading = document.getElementById("finished-message");
  heading.focus({ preventScroll: true });
  if (finished.final) return;
  const timer = setInterval(look, EVERY);

  async function look() {
    if (document.hidden) return;
    try {
      const { assignment, finished: now } = await api.freshData();
      if (assignment || now.final || now.reason === "tutorial") {
        clearInterval(timer);
        goTo(api.pageUrl);
      } else if (heading.textContent !== now.message) {
        heading.textContent = now.message;
        document.getElementById("announce").textContent = now.message;
      }
    } catch (error) {
      if (!(error instanceof OfflineError)) throw error;
    }
  }
}
