// Sends what somebody thinks of the work, if they like to say.

import { drawIcon } from "./status_bar.js";

const LEVELS = ["clarity", "enjoyment", "pay"];

export function startFeedback({ api, strings }) {
  const form = document.getElementById("feedback");
  if (!form) return;
  const problem = document.getElementById("feedback-problem");
  const thanks = document.getElementById("feedback-thanks");
  let sending = false;

  function said() {
    const levels = LEVELS.map((name) => [name, form.elements[name].value]).filter(([, value]) => value);
    const comment = form.elements.comment.value.trim();
    return { ...Object.fromEntries(levels.map(([name, value]) => [name, Number(value)])), ...(comment && { comment }) };
  }

  function warn(text) {
    problem.replaceChildren(...(text ? [drawIcon("warning"), text] : []));
  }

  async function send() {
    const body = said();
    warn(Object.keys(body).length ? "" : strings.nothing_said);
    if (sending || !Object.keys(body).length) return;
    sending = true;
    const { status, body: answer } = await api.call("feedback", "POST", body);
    sending = false;
    if (status === 200 || answer.error === "already") thank(answer.message);
    else warn(answer.message ?? strings.no_connection);
  }

  function thank(message) {
    form.hidden = true;
    thanks.hidden = false;
    thanks.querySelector("span").textContent = message;
    thanks.focus();
  }

  // A click, not the form's own event: a frame that may send no forms gets none.
  document.getElementById("feedback-send").addEventListener("click", send);
  form.addEventListener("submit", (event) => event.preventDefault());
}
