// Gives a text back unfinished, after a second question.

import { OfflineError } from "./api.js";

export function startReturning({ api, strings, done }) {
  const problem = document.getElementById("give-back-problem");
  document.getElementById("give-back-yes").addEventListener("click", async () => {
    problem.textContent = "";
    try {
      const { status, body } = await api.call("return", "POST");
      if (status !== 200) {
        problem.textContent = body.message;
        return;
      }
      done();
      location.replace(body.next);
    } catch (error) {
      if (!(error instanceof OfflineError)) throw error;
      problem.textContent = strings.no_connection;
    }
  });
}
