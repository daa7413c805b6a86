// Sends the response once: says what is missing, waits out a lost connection, never sends twice.

const DELAYS = [2000, 4000, 8000, 15000];

export function createSubmitter({
  api, strings, bar, button, instrument, assignment, seconds, moveOn, keep, signals, signal, more = {},
}) {
  const label = button.querySelector("span");
  const usual = label.textContent;
  let sending = false;
  let finished = false;
  let tries = 0;
  let timer = 0;
  let shown = [];  // the fields that the bar complains about

  function submit() {
    if (sending || finished) return;
    clearTimeout(timer);
    const problems = instrument.missing();
    complain(problems);
    if (problems.length) {
      stopTrying();
      problems[0].focus();
      return;
    }
    send();
  }

  function complain(problems, lead) {
    shown = problems.map(({ field }) => field);
    instrument.mark(problems);
    if (problems.length) bar.missing(problems, lead);
    else bar.clear();
  }

  // What was corrected is no longer reported; new problems are, at the next submit.
  function changed() {
    if (shown.length) complain(instrument.missing().filter(({ field }) => shown.includes(field)));
  }

  async function send() {
    sending = true;
    label.textContent = strings.sending;
    const body = {
      response: instrument.response(), active_seconds: seconds(), version: assignment.version, signals: signals(),
      ...more,
    };
    const { status, body: answer } = await api.call("submit", "POST", body);
    sending = false;
    if (status === 200) return finish(answer);
    label.textContent = usual;
    if (status === 0) tryLater(navigator.onLine ? strings.server_down : strings.offline);
    else refuse(status, answer);
  }

  function finish(answer) {
    finished = true;
    stopTrying();
    bar.clear();
    moveOn(answer);
  }

  function refuse(status, answer) {
    stopTrying();
    if (status === 422) {
      const problems = instrument.problems(answer.errors);
      complain(problems, strings.not_taken);
      problems[0]?.focus();
    } else if (answer.error === "stale_version") {
      keep();
      bar.notice(answer.message, { href: api.pageUrl, text: strings.reload });
    } else {
      bar.notice(answer.message, status === 413 ? null : { href: api.pageUrl, text: strings.next });
    }
  }

  function tryLater(message) {
    bar.notice(message);
    timer = setTimeout(submit, DELAYS[Math.min(tries, DELAYS.length - 1)]);
    tries += 1;
  }

  function stopTrying() {
    clearTimeout(timer);
    timer = 0;
    tries = 0;
  }

  button.addEventListener("click", submit);
  window.addEventListener("online", () => { if (timer) submit(); }, { signal });
  signal.addEventListener("abort", stopTrying);
  return { submit, changed };
}
