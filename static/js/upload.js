// The form of a new campaign: says at once when a file is too large, and tells assistive technology
// which fields the answer complains about. Without it the server says the same.
const form = document.getElementById("new");

// A field and what is wrong with it, which stands below; no words where nothing is.
const tell = (field, problem, words) => {
  problem.textContent = words;
  const bad = words.trim() !== "";
  bad ? field.setAttribute("aria-invalid", "true") : field.removeAttribute("aria-invalid");
  const ids = new Set((field.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean));
  bad ? ids.add(problem.id) : ids.delete(problem.id);
  ids.size ? field.setAttribute("aria-describedby", [...ids].join(" ")) : field.removeAttribute("aria-describedby");
};

const tooLarge = (file) => {
  const limit = Number(form.dataset.limit);
  return file && file.size > limit
    ? `This file has ${Math.ceil(file.size / 1048576)} MB. The form takes ${limit / 1048576}; larger files go through the command line.`
    : "";
};

// A field that was changed is not marked as wrong any more: the server looks at it again.
const changed = (event) => {
  const problem = document.getElementById(`${event.target.id}_error`);
  if (problem) tell(event.target, problem, tooLarge(event.target.files?.[0]));
};
for (const kind of ["change", "input"]) form.addEventListener(kind, changed);

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
