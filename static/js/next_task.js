// The next task: fetched while this one is being answered, and put in its place without a page
// load. Whenever anything is not as expected, the page is loaded as usual.

import { goTo, renameAddress } from "./addresses.js";

const AGAIN = 15_000;  // after a fetch that failed
const PATIENCE = 1500;  // then loading the page is as quick

export function createNext({ api, assignment, started }) {
  let coming = null;  // a promise of the next page, or of null
  let notBefore = 0;

  function fetch() {
    if (coming || Date.now() < notBefore) return;
    // Whoever asks for it reserves that task.
    coming = api.load(`${api.pageUrl}?after=${assignment.id}`).then((page) => {
      if (page) return page;
      coming = null;
      notBefore = Date.now() + AGAIN;
      return null;
    });
  }

  // `answer` is the server's receipt: which task is next, and what today comes to.
  async function show(answer) {
    const page = answer.assignment && (await Promise.race([coming, pause(PATIENCE)]));
    const data = page && dataOf(page);
    if (data?.assignment?.id !== answer.assignment || !fits(page, data, assignment)) return goTo(answer.next);
    putIn(page);
    say(answer.words);
    renameAddress(data.urls.page);
    started();
  }

  return { fetch, show };
}

const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time, null); });

const dataOf = (page) => {
  const element = page.getElementById("work-data");
  return element && JSON.parse(element.textContent);
};

// The same instrument in the same version, with the same scripts and styles.
function fits(page, data, before) {
  const parts = (from) => [...from.querySelectorAll("head script[src], head link[rel=stylesheet]")]
    .map((part) => part.getAttribute("src") ?? part.getAttribute("href")).join(" ");
  return data.assignment !== null && data.assignment.version === before.version && parts(page) === parts(document);
}

function putIn(page) {
  for (const hint of page.querySelectorAll("noscript")) hint.remove();  // parsed as if without scripts
  document.body.replaceChildren(...page.body.childNodes);
  document.title = page.title;
  window.scrollTo({ top: 0, left: 0, behavior: "instant" });
}

// The page was made before the submit: the words that changed with it are the receipt's.
function say(words) {
  document.title = words.title;
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = words.texts[element.dataset.word];
  }
}
