// Keeps the task (and one fetched ahead) reserved while its page is visible and used.

const EVERY = 60_000;
const AGAIN = 5_000;  // until the server knows that the task is being shown

export function startHeartbeat({ api, isUsed, isNew, expired, signal }) {
  let told = !isNew;
  let last = told ? Date.now() : 0;
  let timer = 0;
  let waiting = false;

  async function beat() {
    if (waiting || !isUsed()) return;
    waiting = true;
    last = Date.now();
    const { status } = await api.call("heartbeat", "POST");
    waiting = false;
    told ||= status === 200;
    if (status === 410 && !signal.aborted) {
      stop();
      expired();
    }
  }

  const since = () => Date.now() - last;
  const due = () => since() >= (told ? EVERY : AGAIN);
  const look = () => { if (timer && due()) beat(); };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
  };

  timer = setInterval(look, AGAIN);
  document.addEventListener("visibilitychange", look, { signal });
  signal.addEventListener("abort", stop);
  look();
}
