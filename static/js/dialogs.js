// Native dialogs, opened by buttons that name them.

export function startDialogs() {
  for (const opener of document.querySelectorAll("[data-opens]")) {
    opener.addEventListener("click", () => openDialog(opener.dataset.opens));
  }
  for (const dialog of document.querySelectorAll("dialog")) letClose(dialog);
}

export function letClose(dialog) {
  // A click on the backdrop is a click on the dialog itself.
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  // By hand: a frame that may send no forms does not close a dialog by one either.
  for (const button of dialog.querySelectorAll("form[method=dialog] button:not([type=button])")) {
    button.addEventListener("click", (event) => {
      event.preventDefault();
      dialog.close();
    });
  }
}

export function openDialog(id) {
  const dialog = document.getElementById(id);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

export const anyOpen = () => document.querySelector("dialog[open]") !== null;
