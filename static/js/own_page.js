// Remembers in this browser, where it can, the page of a unit that was handed in. Once its crowd has
// confirmed that unit, this page shows what concerns its person, and a later one leads to it.

const PREFIX = "plumbline:own:";

function attempt(action) {
  try {
    return action(window.localStorage);
  } catch {
    return null;  // no storage here: the crowd's message has the address
  }
}

export function startOwnPage({ key, page, keep }) {
  if (keep) attempt((store) => store.setItem(PREFIX + key, page));
  const place = document.getElementById("earlier");
  const kept = place && attempt((store) => store.getItem(PREFIX + key));
  if (!kept?.startsWith("/work/p/") || kept === page) return;
  place.querySelector("a").href = kept;
  place.hidden = false;
}
