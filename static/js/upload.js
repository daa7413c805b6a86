// The form of a new campaign: says at once when a file is too large, and tells assistive technology
// which fields the answer complains about. Without it the server says the same.
import { freshen } from "./form_refused.js";
import { forgetChanged, tell } from "./problems.js";

const form = document.getElementById("new");

const tooLarge = (files) => {
  const limit = Number(form.dataset.limit);
  const size = [...(files ?? [])].reduce((sum, file) => sum + file.size, 0);
  return size > limit
    ? `${files.length > 1 ? "These files have" : "This file has"} ${Math.ceil(size / 1048576)} MB. The form takes ${limit / 1048576}; larger files go through the command line.`
    : "";
};

forgetChanged(form, (field) => tooLarge(field.files));

document.addEventListener("htmx:afterSettle", (event) => {
  const outcome = document.getElementById("outcome");
  if (!outcome || !event.detail.target?.matches?.("#outcome")) return;
  for (const problem of form.querySelectorAll(".problem[id$=_error]")) {
    const field = document.getElementById(problem.id.replace(/_error$/, ""));
    if (field) tell(field, problem, problem.textContent);
  }
  outcome.focus({ preventScroll: true });
  outcome.scrollIntoView({ block: "start" });
});

// Before htmx reads the form: a log-in in another tab, which changes the token, need not end it.
document.addEventListener("submit", () => freshen(form), { capture: true });

const ENDED = "Your session has ended. Log in in another tab, then press again: the files stay chosen.";
const LOST = "The files did not get through. Check the connection, and that the files have not changed; then press again.";
for (const failure of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(failure, ({ detail: { xhr } }) => {
    document.getElementById("sending").textContent = xhr?.status === 401 ? ENDED : LOST;
  });
}
document.addEventListener("htmx:xhr:progress", (event) => {
  if (!event.detail.lengthComputable || event.target !== form) return;
  const percent = Math.floor((100 * event.detail.loaded) / event.detail.total);
  document.getElementById("sending").textContent = `Sending the files: ${percent} %`;
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful || event.detail.xhr.status) document.getElementById("sending").textContent = "";
});
