// A group of radios. `changed({ final })` tells whether somebody may still be on the way, with
// arrow keys, to another one of them.

export function createRadios(fieldset, { changed }) {
  const radios = [...fieldset.querySelectorAll("input[type=radio]")];
  const checked = () => radios.find((radio) => radio.checked);
  let byArrow = false;

  fieldset.addEventListener("keydown", (event) => { byArrow = event.key.startsWith("Arrow"); });
  fieldset.addEventListener("pointerdown", () => { byArrow = false; });
  fieldset.addEventListener("change", () => changed({ final: !byArrow }));

  return {
    value: () => checked()?.value ?? null,
    set: (value) => { for (const radio of radios) radio.checked = radio.value === value; },
    choose: (index) => {
      if (!radios[index]) return;
      radios[index].checked = true;
      changed({ final: true });
    },
    focus: () => (checked() ?? radios[0]).focus(),
    has: (element) => fieldset.contains(element),
    current: (value) => fieldset.toggleAttribute("data-current", value),
    mark: (wrong) => {
      fieldset.classList.toggle("lacking", wrong);
      if (wrong) fieldset.setAttribute("aria-invalid", "true");
      else fieldset.removeAttribute("aria-invalid");
    },
  };
}
