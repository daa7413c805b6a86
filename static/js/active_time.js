// An honest clock: it runs while the page is visible and somebody may be reading or works on it.

const IDLE = 30_000;  // thinking without touching anything, at most
const LETTER = 100;  // and reading: 100 words a minute, slowly
const IDEOGRAPH = 300;  // 200 a minute
const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const SIGNS = ["pointerdown", "pointermove", "keydown", "scroll", "wheel", "touchstart", "input"];

export function startActiveTime({ seconds = 0, element, signal }) {
  let total = Math.max(0, Number(seconds) || 0) * 1000;
  let ticked = Date.now();
  let used = Date.now();
  const text = document.querySelector("main")?.innerText ?? "";
  const ideographs = text.match(IDEOGRAPHS)?.length ?? 0;
  const still = IDLE + IDEOGRAPH * ideographs + LETTER * (text.length - ideographs);

  function tick() {
    const now = Date.now();
    if (!document.hidden && now - used < still) total += Math.min(now - ticked, IDLE);
    ticked = now;
    const whole = Math.floor(total / 1000);
    element.textContent = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }

  const sign = () => { used = Date.now(); };
  for (const name of SIGNS) document.addEventListener(name, sign, { passive: true, capture: true, signal });
  document.addEventListener("visibilitychange", () => { tick(); sign(); }, { signal });
  const timer = setInterval(tick, 1000);
  signal?.addEventListener("abort", () => clearInterval(timer));
  tick();
  return {
    seconds: () => { tick(); return Math.round(total / 100) / 10; },
    isUsed: () => !document.hidden && Date.now() - used < 10 * IDLE,
  };
}
