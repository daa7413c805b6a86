// The numbered paragraphs: which one is shown, and how far each is.

import { fill } from "./json_data.js";

export function createSteps({ root, strings, announce }) {
  const links = [...root.querySelectorAll(".steps a")];
  const tally = root.querySelector("#steps-done");
  const states = root.querySelector("#step-states").content;
  for (const link of links) link.append(document.importNode(states, true));
  let paragraphs = [];
  let shown = 0;

  function draw() {
    const done = paragraphs.filter((paragraph) => paragraph.isDone()).length;
    paragraphs.forEach((paragraph, index) => {
      links[index].dataset.state = paragraph.isDone() ? "done" : paragraph.state();
    });
    tally.textContent = fill(strings.done, { n: done, all: paragraphs.length });
    root.classList.toggle("all-done", done === paragraphs.length);
  }

  function show(index) {
    shown = index;
    paragraphs.forEach((paragraph, i) => {
      paragraph.show(i === index);
      if (i === index) links[i].setAttribute("aria-current", "step");
      else links[i].removeAttribute("aria-current");
    });
  }

  function goTo(index) {
    show(index);
    paragraphs[index].begin();
  }

  // To the next one that is not done, round the end; where there is none, it is said.
  function advance() {
    const order = paragraphs.map((_paragraph, i) => (shown + 1 + i) % paragraphs.length);
    const next = order.find((index) => !paragraphs[index].isDone());
    if (next === undefined) announce(root.querySelector(".finished").textContent);
    else if (next !== shown) goTo(next);
  }

  links.forEach((link, index) => {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      goTo(index);
    });
  });

  return {
    draw, show, goTo, advance,
    start: (made) => { paragraphs = made; },
    shown: () => shown,
    current: () => paragraphs[shown],
    by: (step) => goTo((shown + step + paragraphs.length) % paragraphs.length),
    mark: (index, wrong) => links[index].classList.toggle("lacking", wrong),
  };
}
