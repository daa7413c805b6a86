// The bar at the bottom: what is missing or wrong, and whether the draft is saved.

import { goTo } from "./addresses.js";
import { fill } from "./json_data.js";

const SVG = "http://www.w3.org/2000/svg";
const PATHS = { warning: "M12 4 2.5 20h19Z M12 10v4.5M12 17.4v.1", check: "M4 12.5 9.5 18 20 6.5" };

export function drawIcon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS(SVG, "path"));
  svg.firstChild.setAttribute("d", PATHS[name]);
  return svg;
}

export function createStatusBar(strings) {
  const alert = document.getElementById("missing");
  const saved = document.getElementById("saved");
  const savedText = document.getElementById("saved-text");

  // What has the focus, and what stays beside a text, is seen above the bar.
  const bar = alert.closest(".send");
  function measure() {
    document.documentElement.style.setProperty("--bar", `${bar.offsetHeight}px`);
    const focused = document.querySelector(":focus");
    if (!focused || focused.tabIndex < 0 || bar.contains(focused)) return;  // put there by a script
    // What has the focus moves out from under a bar that grows; what was scrolled away stays away.
    const { top, bottom } = focused.getBoundingClientRect();
    if (top < innerHeight && bottom > bar.getBoundingClientRect().top) focused.scrollIntoView({ block: "nearest" });
  }
  new ResizeObserver(measure).observe(bar);

  function clear() {
    alert.className = "";
    alert.replaceChildren();
  }

  function warn(...content) {
    const words = document.createElement("span");
    words.append(...content);
    alert.className = "missing";
    alert.replaceChildren(drawIcon("warning"), words);
    measure();
  }

  // To another page, or to where a problem is mended.
  const dot = () => Object.assign(document.createElement("i"), { textContent: " · " });

  function linked({ text, href, focus = () => goTo(href) }) {
    const link = Object.assign(document.createElement("a"), { href, textContent: text });
    link.addEventListener("click", (event) => { event.preventDefault(); focus(); });
    return link;
  }

  const missing = (problems, lead = strings.missing) =>
    warn(`${lead} `, ...problems.map(linked).flatMap((link, i) => (i ? [dot(), link] : [link])));
  const notice = (text, link) => warn(`${text} `, ...(link ? [linked(link)] : []));

  function draft(state) {
    const time = new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    saved.dataset.state = state;
    savedText.textContent = fill(strings[state], { time });
    saved.querySelector(".i")?.remove();
    if (state === "saved") saved.prepend(drawIcon("check"));
  }

  return { clear, missing, notice, draft };
}
