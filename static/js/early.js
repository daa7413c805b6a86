// Until the script of a page has started: a button that is pressed does its work then, and a script
// that does not come is told about. Not a module, for those come too late.
(() => {
  const early = new AbortController();
  const { signal } = early;
  let pressed = null;

  window.addEventListener("click", ({ target }) => {
    pressed = target.closest("button[type=button]") ?? pressed;
  }, { signal });
  window.addEventListener("error", ({ target }) => {
    const notice = document.getElementById("not-loaded");
    if (notice && (target === window || target.type === "module")) notice.hidden = false;
  }, { capture: true, signal });
  document.addEventListener("started", () => {
    early.abort();
    pressed?.click();
  }, { signal });
})();
