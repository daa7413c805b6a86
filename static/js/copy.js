// Buttons that copy the text of an element: <button data-copy="id-of-it">. Without scripts or
// without permission the text is there to be selected.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    const said = document.getElementById(button.getAttribute("aria-describedby"));
    try {
      await navigator.clipboard.writeText(source.value ?? source.innerText);
      said.textContent = said.dataset.done;
    } catch {
      source.select?.();
      said.textContent = said.dataset.failed;
    }
  });
}
