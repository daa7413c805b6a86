// Keeps what somebody types into a box in this browser, where it has a storage, until it is sent.

const PREFIX = "plumbline:typed:";

function attempt(action) {
  try {
    return action(window.localStorage);
  } catch {
    return null;  // no storage here: a sandboxed frame has none
  }
}

export function keepText(box, key) {
  const name = `${PREFIX}${key}:${box.id}`;
  box.value ||= attempt((store) => store.getItem(name)) ?? "";
  box.addEventListener("input", () => attempt((store) => store.setItem(name, box.value)));
  return { forget: () => attempt((store) => store.removeItem(name)) };
}
