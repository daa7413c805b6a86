// The file step of a new campaign: takes dropped files, names the campaign after it, and offers the
// file's own column names where they do not say which is which. Without it one types them.
import { readJson } from "./json_data.js";

const HEAD = 65536; // bytes that are looked at
const REQUIRED = ["item", "system", "output"];
const OTHER = ["messages", "conversation", "conversations", "chosen"]; // forms without these names
const usual = readJson("usual-names");
const part = document.getElementById("columns-part");
const area = document.querySelector("[data-drop]");
const input = document.getElementById(area.dataset.drop);
const campaignName = document.getElementById("id_name");

const folded = (name) => [...name.toLowerCase()].filter((c) => /[\p{L}\p{N}]/u.test(c)).join("");

// The first whole object of a text that begins with one, or with a list of them; null if it is cut.
function firstObject(text) {
  let depth = 0;
  let quoted = false;
  const start = text.indexOf("{");
  for (let i = start; i >= 0 && i < text.length; i++) {
    if (quoted) {
      if (text[i] === "\\") i++;
      else if (text[i] === '"') quoted = false;
    } else if (text[i] === '"') quoted = true;
    else if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return text.slice(start, i + 1);
  }
  return null;
}

function columnsOf(text) {
  if (text.startsWith("PK\u0003") || text.startsWith("\u001f")) return []; // compressed
  const head = text.replace(/^\uFEFF/, "").trimStart().replace(/^"?sep=.*\r?\n/i, "");
  if (head.startsWith("{") || head.startsWith("[")) {
    try {
      return Object.keys(JSON.parse(firstObject(head) ?? "{}"));
    } catch {
      return [];
    }
  }
  const line = head.split(/\r?\n/, 1)[0];
  const delimiter = [",", ";", "\t"].reduce((a, b) => (line.split(b).length > line.split(a).length ? b : a));
  return line.split(delimiter).map((name) => name.trim().replace(/^"|"$/g, ""));
}

function found(wanted, names) {
  const own = names.filter((name) => folded(name) === wanted);
  return own.length ? own : names.filter((name) => usual[wanted].includes(folded(name)));
}

async function look(file) {
  const names = columnsOf(await file.slice(0, HEAD).text()).filter(Boolean).slice(0, 200);
  const list = document.getElementById("columns");
  if (!list) return; // the columns of an earlier file are shown
  list.replaceChildren(
    ...names.map((name) => {
      const option = document.createElement("option");
      option.value = name;
      return option;
    }),
  );
  const other = names.some((name) => OTHER.includes(folded(name)));
  const unclear = names.length > 1 && !other && REQUIRED.some((wanted) => found(wanted, names).length !== 1);
  if (unclear) part.open = true;
  const told = document.getElementById("columns-told");
  told.textContent = unclear ? `The file has the columns ${names.slice(0, 12).join(", ")}. Type which of them is the item, the system and the output, unless each system has its own.` : "";
}

function took([file, ...others]) {
  if (!campaignName.value) {
    campaignName.value = file.name.replace(/\.[^.]*$/, "").replace(/[_-]+/g, " ").slice(0, 120);
    campaignName.dispatchEvent(new Event("input", { bubbles: true }));
  }
  document.getElementById("files-told").textContent = others.length
    ? `${others.length + 1} files: one for each system, or text files of one output a line.`
    : "";
  if (!others.length) look(file);
}

input.addEventListener("change", () => input.files[0] && took(input.files));
for (const kind of ["dragenter", "dragover"]) {
  area.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    area.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"]) area.addEventListener(kind, () => area.classList.remove("over"));
area.addEventListener("drop", (event) => {
  if (!event.dataTransfer?.files.length) return;
  event.preventDefault();
  input.files = event.dataTransfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});
