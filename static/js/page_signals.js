// Counts how a text comes about, where the study says that it does: numbers, and no text.
//
// It listens and changes nothing. The classes of the rhythm are those of
// annotate/screening/signals/counts.py.

const RHYTHM = [80, 110, 150, 200, 270, 370, 550, 850, 1400];  // milliseconds between two keys
const PAUSE = 2000;  // longer ones are thinking, and no rhythm
const TYPED = new Set(["insertText", "insertLineBreak", "insertParagraph"]);
const PASTED = new Set(["insertFromPaste", "insertFromDrop", "insertFromYank", "insertFromPasteAsQuotation"]);
const MODIFIERS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "Tab", "Escape"]);

// text: what was given. resumed: this page goes on with answers of an earlier load.
export function createPageSignals({ text, resumed, signal }) {
  const counts = {
    pastes: 0, pasted: 0, moved: 0, typed: 0, replaced: 0, placed: 0,
    keys: 0, erased: 0, away: 0, away_seconds: 0, resumed: Number(resumed),
  };
  const rhythm = Array(RHYTHM.length + 1).fill(0);
  const box = document.getElementById("edit");
  if (box) watchTyping(box, { counts, rhythm, text, signal });
  const leave = watchFocus(counts, signal);
  return () => ({ ...counts, away_seconds: leave(), rhythm, screen: device() });
}

function watchTyping(box, { counts, rhythm, text, signal }) {
  let length = box.value.length;
  let selected = 0;
  let last = 0;
  let cut = "";  // what was taken out last, and may be put in elsewhere

  const listen = (name, act) => box.addEventListener(name, act, { capture: true, signal });
  const selection = () => box.value.slice(box.selectionStart, box.selectionEnd);
  for (const name of ["cut", "copy", "dragstart"]) listen(name, () => { cut = selection() || cut; });
  listen("focus", () => { length = box.value.length; });
  listen("beforeinput", () => {
    length = box.value.length;
    selected = box.selectionEnd - box.selectionStart;
  });
  listen("compositionend", (event) => { if (event.isTrusted) counts.typed += event.data.length; });
  listen("input", (event) => {
    const more = Math.max(0, box.value.length - length + selected);
    length = box.value.length;
    selected = 0;
    if (box.hasAttribute("data-placing")) return;  // a reset is the page's, not theirs
    if (!event.isTrusted) counts.placed += box.value.length;
    else if (PASTED.has(event.inputType)) paste(event.data, more);
    else if (event.inputType === "insertReplacementText") counts.replaced += more;
    else if (TYPED.has(event.inputType)) counts.typed += more;
  });

  function paste(data, more) {
    counts.pastes += 1;
    const words = (data ?? box.value.slice(Math.max(0, box.selectionEnd - more), box.selectionEnd)).trim();
    counts[text.includes(words) || cut.includes(words) ? "moved" : "pasted"] += more;
  }

  listen("keydown", (event) => {
    if (!event.isTrusted || event.ctrlKey || event.metaKey || MODIFIERS.has(event.key)) return;
    counts.keys += 1;
    if (event.key === "Backspace" || event.key === "Delete") counts.erased += 1;
    const since = event.timeStamp - last;
    last = event.timeStamp;
    if (event.repeat || since >= PAUSE) return;
    const place = RHYTHM.findIndex((end) => since < end);
    rhythm[place < 0 ? RHYTHM.length : place] += 1;
  });
}

// How often the page lost the focus; returns the seconds away so far.
function watchFocus(counts, signal) {
  let leftAt = 0;
  let total = 0;
  const leave = () => {
    if (leftAt) return;
    leftAt = Date.now();
    counts.away += 1;
  };
  const come = () => {
    if (leftAt && !document.hidden) total += Date.now() - leftAt;
    if (!document.hidden) leftAt = 0;
  };
  window.addEventListener("blur", leave, { signal });
  window.addEventListener("focus", come, { signal });
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : come()), { signal });
  return () => Math.round((total + (leftAt ? Date.now() - leftAt : 0)) / 1000);
}

// What tells devices apart; the server keeps a keyed hash of it.
function device() {
  const { width, height, colorDepth } = window.screen;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [width, height, colorDepth, devicePixelRatio, zone, navigator.hardwareConcurrency, navigator.language].join(" ");
}
