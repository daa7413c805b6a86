// The page around the work: the time that is left, and the word that the work was handed in.
const left = document.querySelector("[data-left]");
const frame = document.querySelector("iframe");
let rest = Number(left.dataset.left);
const end = performance.now() + rest * 1000;

function clock(seconds) {
  const two = (n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

function tick() {
  rest = Math.max(0, Math.round((end - performance.now()) / 1000));
  left.textContent = clock(rest);
  if (rest === 0) {
    window.clearInterval(ticking);
    window.location.reload();
  }
}

const ticking = window.setInterval(tick, 1000);
tick();

// What the assignment is now, the server knows: the message only says that it is worth asking.
window.addEventListener("message", (event) => {
  if (event.source === frame.contentWindow && event.data === "stand-in: handed in") {
    window.location.reload();
  }
});
