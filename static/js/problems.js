// What the server found wrong with the fields of a form: it stands below each field, and in a list
// above them that leads there. A field that was changed is not marked any more, and leaves the list,
// which goes with the last of them: the server looks at the field again.

// A field and what is wrong with it, which stands below; no words where nothing is.
export function tell(field, problem, words) {
  problem.textContent = words;
  const bad = words.trim() !== "";
  bad ? field.setAttribute("aria-invalid", "true") : field.removeAttribute("aria-invalid");
  const ids = new Set((field.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean));
  bad ? ids.add(problem.id) : ids.delete(problem.id);
  ids.size ? field.setAttribute("aria-describedby", [...ids].join(" ")) : field.removeAttribute("aria-describedby");
}

// find: what a script itself finds wrong with a changed field; no words where nothing is.
export function forgetChanged(form, find = () => "") {
  const changed = ({ target }) => {
    const id = `id_${target.name}`;
    const problem = document.getElementById(`${id}_error`);
    if (!problem) return;
    const words = find(target);
    for (const field of form.querySelectorAll(`[name="${CSS.escape(target.name)}"]`)) tell(field, problem, words);
    if (!words) unlist(id);
  };
  for (const kind of ["change", "input"]) form.addEventListener(kind, changed);
}

function unlist(id) {
  const list = document.getElementById("problems");
  list?.querySelector(`a[href="#${CSS.escape(id)}"]`)?.closest("li").remove();
  if (list && !list.querySelector("li")) list.remove();
}
