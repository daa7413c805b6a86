// Where one text of a pair is shown at a time, each is shown again where it was left.
const places = new WeakMap();  // of each pair: its texts' places by number

const shown = () => document.querySelector(".which :checked");

document.addEventListener("scroll", () => {
  const pair = document.querySelector(".pair-texts");
  if (pair) places.set(pair, { ...places.get(pair), [shown().value]: scrollY });
}, { passive: true });

document.addEventListener("change", ({ target }) => {
  const pair = target.closest(".which")?.parentElement;
  if (!pair) return;
  const top = scrollY + pair.getBoundingClientRect().top;
  scrollTo({ top: places.get(pair)?.[target.value] ?? Math.min(scrollY, top), behavior: "instant" });
});
