// Without work: looks again now and then, as long as that can help.

import { goTo } from "./addresses.js";

const EVERY = 15_000;

export function startWaiting({ api, finished }) {
  const heading = document.getElementById("finished-message");
  heading.focus({ preventScroll: true });
  if (finished.final) return;
  const timer = setInterval(look, EVERY);

  async function look() {
    if (document.hidden) return;
    const data = (await api.load(api.pageUrl))?.getElementById("work-data");
    if (!data) return;
    const { assignment, finished: now } = JSON.parse(data.textContent);
    if (assignment || now.final || now.reason === "tutorial") {
      clearInterval(timer);
      goTo(api.pageUrl);
    } else if (heading.textContent !== now.message) {
      heading.textContent = now.message;
      document.getElementById("announce").textContent = now.message;
    }
  }
}
