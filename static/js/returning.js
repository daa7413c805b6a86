// Gives a task back unfinished, after a second question.

import { OfflineError } from "./api.js";

export function startReturning({ api, strings, moveOn }) {
  const problem = document.getElementById("give-back-problem");
  document.getElementById("give-back-yes").addEventListener("click", async () => {
    problem.textContent = "";
    try {
      const { status, body } = await api.call("return", "POST");
      if (status !== 200) {
        problem.textContent = body.message;
        return;
      }
      document.getElementById("give-back").close();
      moveOn(body);
    } catch (error) {
      if (!(error instanceof OfflineError)) throw error;
      problem.textContent = strings.no_connection;
    }
  });
}
