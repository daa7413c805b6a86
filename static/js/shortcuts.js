// Keys for those who judge hundreds of tasks; off while typing, and off for good if wished.

import { anyOpen, openDialog } from "./dialogs.js";

const OFF = "plumbline:shortcuts-off";

function stored(action) {
  try {
    return action(window.localStorage);
  } catch {
    return null;
  }
}

const isTyping = (element) =>
  element.matches?.("textarea, [contenteditable], input:not([type=radio], [type=checkbox])");

export function startShortcuts({ submit, keys, signal }) {
  const single = document.getElementById("shortcuts");
  const line = document.getElementById("keys-line");
  single.checked = stored((store) => store.getItem(OFF)) !== "1";
  const show = () => {
    line.hidden = !single.checked;
    document.documentElement.dataset.keys = single.checked ? "on" : "off";
  };
  single.addEventListener("change", () => {
    stored((store) => (single.checked ? store.removeItem(OFF) : store.setItem(OFF, "1")));
    show();
  });
  show();

  document.addEventListener("keydown", (event) => {
    if (anyOpen() || event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !single.checked) return;
    if (isTyping(event.target)) return;
    const action = event.key === "?" ? () => openDialog("keys") : keys[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }, { signal });
}
