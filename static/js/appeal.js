// Sends what somebody says against a flag or a ruling.

import { keepText } from "./kept_text.js";
import { drawIcon } from "./status_bar.js";

export function startAppeal({ api, strings, own }) {
  const form = document.getElementById("appeal");
  if (!form) return;
  const box = document.getElementById("appeal-text");
  const problem = document.getElementById("appeal-problem");
  const received = document.getElementById("appeal-received");
  const kept = keepText(box, own.key);
  let sending = false;

  function warn(text) {
    problem.replaceChildren(...(text ? [drawIcon("warning"), text] : []));
    if (text) box.setAttribute("aria-invalid", "true");
    else box.removeAttribute("aria-invalid");
    if (text) box.focus();
  }

  async function send() {
    const text = box.value.trim();
    warn(text ? "" : strings.nothing_written);
    if (sending || !text) return;
    sending = true;
    const { status, body } = await api.call("appeal", "POST", { text });
    sending = false;
    if (status === 200) {
      kept.forget();
      show(text, body.message);
    } else warn(body.message ?? strings.no_connection);
  }

  function show(text, message) {
    form.hidden = true;
    received.hidden = false;
    received.querySelector("blockquote").textContent = text;
    received.querySelector(".state span").textContent = message;
    received.focus();
  }

  // A click, not the form's own event: a frame that may send no forms gets none.
  document.getElementById("appeal-send").addEventListener("click", send);
  form.addEventListener("submit", (event) => event.preventDefault());
}
