// Talks to the server: JSON with the page's bearer token, without a cookie.

export class OfflineError extends Error {}

const SLOWEST = 20_000;

// With `csrf`, it is a researcher who looks, and their session that counts.
export function createApi({ token, urls, csrf }) {
  const credentials = csrf ? "same-origin" : "omit";
  const headers = {
    ...(csrf ? { "X-CSRFToken": csrf } : { Authorization: `Bearer ${token}` }),
    "Content-Type": "application/json",
    "Accept-Language": document.documentElement.lang,
  };

  // Resolves to {status, body}; throws OfflineError when nothing that speaks JSON answered.
  async function call(verb, method, body = {}, { keepalive = false } = {}) {
    try {
      const response = await fetch(urls[verb], {
        method, headers, keepalive, body: JSON.stringify(body),
        credentials, cache: "no-store", signal: AbortSignal.timeout(SLOWEST),
      });
      return { status: response.status, body: await response.json() };
    } catch (error) {
      throw new OfflineError(String(error));
    }
  }

  async function load(address) {
    try {
      const response = await fetch(address, {
        credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(SLOWEST),
      });
      if (response.status >= 500) throw new OfflineError(String(response.status));
      return new DOMParser().parseFromString(await response.text(), "text/html");
    } catch (error) {
      throw new OfflineError(String(error));
    }
  }

  // What the page would hold if it were loaded now.
  async function freshData() {
    const data = (await load(urls.page)).getElementById("work-data");
    if (!data) throw new OfflineError("not a page of the work");
    return JSON.parse(data.textContent);
  }

  // The page of the task that follows this one, which is reserved thereby.
  const pageAfter = (assignmentId) => load(`${urls.page}?after=${assignmentId}`);

  return { call, freshData, pageAfter, pageUrl: urls.page };
}
