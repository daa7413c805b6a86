// Highlighting with keys: a cursor that goes from word to word while the mode is on.

export function startKeys({ element, words, rects, choose, moveTo, cancel, strings, announce }) {
  let cursor = 0;
  const isOn = () => element.dataset.highlighting === "on";

  // The element takes the keys: a screen reader must hand them on, and says what it is for.
  function setOn(value) {
    if (value === isOn() || (value && document.activeElement !== element)) return;
    element.dataset.highlighting = value ? "on" : "off";
    if (value) {
      element.setAttribute("role", "application");
      element.setAttribute("aria-label", strings.mode_label);
      go(cursor);
      announce(strings.mode_on);
    } else {
      element.removeAttribute("role");
      element.removeAttribute("aria-label");
      cancel();
      moveTo(null);
      announce(strings.mode_off);
    }
  }

  function go(index) {
    cursor = Math.max(0, Math.min(words.length - 1, index));
    moveTo(cursor);
    element.querySelector(".cursor").scrollIntoView({ block: "nearest" });
  }

  const forward = () => (getComputedStyle(element).direction === "rtl" ? -1 : 1);
  const moves = {
    ArrowRight: () => go(cursor + forward()),
    ArrowLeft: () => go(cursor - forward()),
    ArrowDown: () => go(inLine(1)),
    ArrowUp: () => go(inLine(-1)),
    Home: () => go(0),
    End: () => go(words.length - 1),
    " ": () => choose(cursor),
    Escape: () => setOn(false),
  };

  // The word above or below: the nearest one across among those of the next line.
  function inLine(step) {
    const here = rects(words[cursor])[0];
    const middle = (rect) => (rect.left + rect.right) / 2;
    const placed = words.map((word, index) => ({ index, rect: rects(word)[0] }));
    const ahead = placed.filter(({ rect }) => step * (rect.top - here.top) > here.height / 2);
    if (!ahead.length) return cursor;
    const line = step * Math.min(...ahead.map(({ rect }) => step * rect.top));
    const off = ({ rect }) => Math.abs(middle(rect) - middle(here));
    const inIt = ahead.filter(({ rect }) => Math.abs(rect.top - line) <= here.height / 2);
    return inIt.reduce((best, one) => (off(one) < off(best) ? one : best)).index;
  }

  element.addEventListener("keydown", (event) => {
    if (!isOn() || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  });
  element.addEventListener("blur", () => {
    if (document.activeElement !== element) setOn(false);  // not when the whole window lost it
  });

  return { setOn };
}
