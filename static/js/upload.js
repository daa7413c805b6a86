// The form of a new campaign: says at once when a file is too large, and tells assistive technology
// which fields the answer complains about. Without it the server says the same.
import { forgetChanged, tell } from "./problems.js";

const form = document.getElementById("new");

const tooLarge = (file) => {
  const limit = Number(form.dataset.limit);
  return file && file.size > limit
    ? `This file has ${Math.ceil(file.size / 1048576)} MB. The form takes ${limit / 1048576}; larger files go through the command line.`
    : "";
};

forgetChanged(form, (field) => tooLarge(field.files?.[0]));

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

for (const failure of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(failure, () => {
    document.getElementById("sending").textContent =
      "The files did not get through. Check the connection, that the files have not changed, and in another tab that you are still logged in; then press again.";
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
