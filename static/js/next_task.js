// The next task: held in hand while this one is being answered, and put in its place without a page
// load. Each submit brings the one after it. Whenever anything is not as expected, the page is loaded.

import { goTo, renameAddress } from "./addresses.js";

const AGAIN = 15_000;  // after a request that failed
const PATIENCE = 1500;  // then loading the page is as quick

// blank: this page as it was before its script started. held: the task in hand, or null.
export function createNext({ api, data, blank, held, started }) {
  let coming = held && Promise.resolve(held);  // a promise of the next task, or of null
  let notBefore = 0;

  function fetch() {
    if (coming || Date.now() < notBefore) return;
    // Whoever asks for it reserves that task.
    coming = api.call("ahead", "POST").then(({ status, body }) => {
      if (status === 200) return body.coming;
      coming = null;
      notBefore = Date.now() + AGAIN;
      return null;
    });
  }

  // `answer`: the receipt, with the next task, the one after it and today's figures. A page that has
  // `told` other texts is loaded.
  async function show(answer) {
    const inHand = answer.assignment && (await Promise.race([coming, pause(PATIENCE)]));
    const task = [inHand, answer.coming].find((one) => one?.data.assignment.id === answer.assignment);
    if (!task || answer.told !== data.told || !fits(task.data, data)) return goTo(answer.next);
    putIn(task, blank);
    say(answer.words);
    renameAddress(task.data.urls.page);
    started({ held: task === answer.coming ? null : answer.coming });
  }

  return { fetch, show };
}

const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time, null); });

// The same instrument in the same version, with the same scripts and styles.
function fits(data, before) {
  return data.assignment.version === before.assignment.version && data.release === before.release;
}

function putIn({ data, parts }, blank) {
  const body = blank.cloneNode(true);
  const made = new DOMParser().parseFromString(parts, "text/html");
  for (const part of made.querySelectorAll("[data-part]")) {
    body.querySelector(`[data-part="${part.dataset.part}"]`).replaceWith(document.importNode(part, true));
  }
  body.querySelector("#work-data").textContent = JSON.stringify(data);
  document.body.replaceChildren(...body.childNodes);
  window.scrollTo({ top: 0, left: 0, behavior: "instant" });
}

// The page was made before the submit: the words that changed with it are the receipt's.
function say(words) {
  document.title = words.title;
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = words.texts[element.dataset.word];
  }
}
