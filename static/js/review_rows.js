// The rows of the queue, and of the page that asks for a confirmation: walked and ticked by keys.

const rows = [...document.querySelectorAll("[data-row]")];
const boxes = [...document.querySelectorAll("[data-row] [name=case]:not(:disabled)")];
const all = document.querySelector("[data-tick-all]");
const told = document.querySelector("[data-ticked]");
let at = -1;

export const rowOf = (element) => element?.closest?.("[data-row]") ?? rows[at];

export function stepRow(by) {
  if (!rows.length) return false;
  const here = rows.indexOf(document.activeElement?.closest?.("[data-row]"));
  at = Math.min(rows.length - 1, Math.max(0, (here < 0 ? at : here) + by));
  rows[at].querySelector("[data-row-link]").focus();
  rows[at].scrollIntoView({ block: "nearest" });
  return true;
}

export function tickRow() {
  const box = rowOf(document.activeElement)?.querySelector("[name=case]:not(:disabled)");
  if (!box) return;
  box.checked = !box.checked;
  count();
}

export function tickAll() {
  const some = boxes.some((box) => !box.checked);
  for (const box of boxes) box.checked = some;
  count();
}

function count() {
  const n = boxes.filter((box) => box.checked).length;
  if (told) told.textContent = n ? `${n} of ${boxes.length} ticked` : "Nobody is ticked.";
  if (all) {
    all.checked = n > 0 && n === boxes.length;
    all.indeterminate = n > 0 && n < boxes.length;
  }
  for (const box of boxes) {
    // Somebody left out needs no answer.
    const text = box.closest("[data-row]").querySelector("textarea");
    if (text) text.disabled = !box.checked;
  }
}

export function startRows() {
  if (!boxes.length) return;
  all?.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    count();
  });
  for (const box of boxes) box.addEventListener("change", count);
  // A browser may have kept ticks when somebody comes back.
  window.addEventListener("pageshow", () => {
    if (told && (boxes.some((box) => box.checked) || !all)) count();
  });
}
