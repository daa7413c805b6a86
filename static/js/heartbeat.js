// Keeps the task (and one fetched ahead) reserved while its page is visible and used.

const EVERY = 60_000;
const LOOK = 5_000;

export function startHeartbeat({ api, isUsed, expired, signal }) {
  let last = Date.now();
  let timer = 0;
  let waiting = false;

  async function beat() {
    if (waiting || !isUsed()) return;
    waiting = true;
    last = Date.now();
    const { status } = await api.call("heartbeat", "POST");
    waiting = false;
    if (status === 410 && !signal.aborted) {
      stop();
      expired();
    }
  }

  const since = () => Date.now() - last;
  const due = () => since() >= EVERY;
  const look = () => { if (timer && due()) beat(); };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
  };

  timer = setInterval(look, LOOK);
  document.addEventListener("visibilitychange", look, { signal });
  signal.addEventListener("abort", stop);
}
