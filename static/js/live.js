// A region that refreshes itself ([data-live]) must not disturb its reader: it pauses while
// the tab is hidden, waits for its new pictures, and keeps open what is open and focused what is.
const pictures = (html) =>
  [...new DOMParser().parseFromString(html, "text/html").querySelectorAll("picture")].map((picture) => {
    const dark = picture.querySelector("source");
    const usesDark = dark && matchMedia(dark.media).matches;
    return usesDark ? dark.getAttribute("srcset") : picture.querySelector("img").getAttribute("src");
  });

const loaded = (address) => {
  const image = new Image();
  image.src = address;
  return image.decode().catch(() => {}); // a plot that cannot be had must not stop the numbers
};

const live = (event) => event.detail.target?.closest?.("[data-live]");

document.addEventListener("htmx:confirm", (event) => {
  if (document.hidden && event.target.matches("[data-live]")) event.preventDefault();
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const region = live(event);
  if (!region || event.detail.target !== region || !event.detail.shouldSwap) return;
  event.detail.shouldSwap = false;
  const html = event.detail.serverResponse;
  Promise.all(pictures(html).map(loaded)).then(() => replace(region, html));
});

function replace(region, html) {
  if (!region.isConnected) return;
  const open = [...region.querySelectorAll("details[open]")].map((details) => details.id);
  const focused = region.contains(document.activeElement) ? document.activeElement.id : "";
  window.htmx.swap(region, html, { swapStyle: "outerHTML", swapDelay: 0, settleDelay: 0 });
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

document.addEventListener("visibilitychange", () => {
  const region = document.querySelector("[data-live]");
  if (!document.hidden && region) window.htmx.trigger(region, "refresh");
});
