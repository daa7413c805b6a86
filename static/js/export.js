// Shows how far the download of an export is: the page names the download, and asks for it.
const named = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-export]");
  if (!link) return;
  const of = named();
  link.search = `?of=${of}`;
  window.htmx.ajax("GET", `${link.dataset.export}?of=${of}`, { target: "#export-standing", swap: "outerHTML" });
});
