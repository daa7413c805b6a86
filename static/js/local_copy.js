// A copy of the draft in this browser, where it has a storage: a sandboxed frame has none.

const PREFIX = "plumbline:draft:";
const OLDEST = 3 * 24 * 3600 * 1000;

function attempt(action) {
  try {
    return action(window.localStorage);
  } catch {
    return null;  // no storage here, or it is full: the server has the draft
  }
}

export function createLocalCopy({ id, text }) {
  const key = PREFIX + id;
  attempt(removeOld);
  return {
    // `revision` is the server's revision that `data` was typed on top of.
    write: (revision, data) =>
      attempt((store) => {
        store.setItem(key, JSON.stringify({ revision, data, text, at: Date.now() }));
        return true;
      }) === true,
    read: () => {
      const copy = attempt((store) => JSON.parse(store.getItem(key)));
      return copy && copy.text === text ? copy : null;
    },
    remove: () => attempt((store) => store.removeItem(key)),
  };
}

function removeOld(store) {
  for (const key of Object.keys(store)) {
    if (!key.startsWith(PREFIX)) continue;
    const { at } = JSON.parse(store.getItem(key));
    if (Date.now() - at > OLDEST) store.removeItem(key);
  }
}
