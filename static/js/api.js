// Talks to the server: JSON with the page's bearer token, never a cookie.

export class OfflineError extends Error {}

const SLOWEST = 20_000;

export function createApi({ token, urls }) {
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Accept-Language": document.documentElement.lang,
  };

  // Resolves to {status, body}; throws OfflineError when nothing that speaks JSON answered.
  async function call(verb, method, body = {}, { keepalive = false } = {}) {
    try {
      const response = await fetch(urls[verb], {
        method, headers, keepalive, body: JSON.stringify(body),
        credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(SLOWEST),
      });
      return { status: response.status, body: await response.json() };
    } catch (error) {
      throw new OfflineError(String(error));
    }
  }

  // What the page would hold if it were loaded now.
  async function freshData() {
    try {
      const response = await fetch(urls.page, { credentials: "omit", cache: "no-store" });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      return JSON.parse(page.getElementById("work-data").textContent);
    } catch (error) {
      throw new OfflineError(String(error));
    }
  }

  return { call, freshData, pageUrl: urls.page };
}
