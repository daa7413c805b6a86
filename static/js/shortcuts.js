// Keys for those who judge hundreds of tasks; off while typing, and off for good if wished.

const OFF = "plumbline:shortcuts-off";

function stored(action) {
  try {
    return action(window.localStorage);
  } catch {
    return null;
  }
}

let on = stored((store) => store.getItem(OFF)) !== "1";  // kept here too: a frame may have no storage

export const singleKeys = {
  on: () => on,
  set: (value) => {
    on = value;
    stored((store) => (on ? store.removeItem(OFF) : store.setItem(OFF, "1")));
    show();
  },
};

const show = () => { document.documentElement.dataset.keys = on ? "on" : "off"; };

const isTyping = (element) =>
  element.matches?.("textarea, [contenteditable], input:not([type=radio], [type=checkbox])");

export function startShortcuts({ submit, open, keys, signal }) {
  show();
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !on) return;
    if (isTyping(event.target)) return;
    const action = event.key === "?" ? () => open("keys") : keys[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }, { signal });
}
