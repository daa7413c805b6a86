// Notices that the browser has translated the page, and says what to do then. What is judged is
// marked as not to be translated; the rest may be.

const page = document.documentElement;
const { lang } = page;

// Chrome sets a class and puts <font> around texts, Edge an attribute, others the language.
const isTranslated = () =>
  /\btranslated-(ltr|rtl)\b/.test(page.className) || page.lang !== lang
  || document.querySelector("font, [_msttexthash]") !== null;

export function watchTranslation() {
  const tell = () => {
    const notice = document.getElementById("translated");
    if (notice?.hidden) notice.hidden = false;
  };
  const look = () => { if (isTranslated()) tell(); };
  const watched = { attributes: true, attributeFilter: ["class", "lang", "_msttexthash"], childList: true, subtree: true };
  new MutationObserver(look).observe(page, watched);
  document.addEventListener("started", look);  // another task is in the page
  document.addEventListener("translated", tell);  // a text that is judged was changed
  look();
}
