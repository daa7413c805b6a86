// Talks to the server: JSON with the page's bearer token, without a cookie. Where there is no
// connection, or the server fails, a call resolves to the status 0, and a page to null.

const SLOWEST = 20_000;

export function createApi({ token, urls }, { credentials = "omit", key = { Authorization: `Bearer ${token}` } } = {}) {
  const headers = { ...key, "Content-Type": "application/json", "Accept-Language": document.documentElement.lang };

  // Resolves to {status, body}.
  async function call(verb, method, body = {}, { keepalive = false } = {}) {
    try {
      const response = await fetch(urls[verb], {
        method, headers, keepalive, body: JSON.stringify(body),
        credentials, cache: "no-store", signal: AbortSignal.timeout(SLOWEST),
      });
      if (response.status >= 500) return { status: 0, body: {} };
      return { status: response.status, body: await response.json() };
    } catch {
      return { status: 0, body: {} };
    }
  }

  // Resolves to a document.
  async function load(address) {
    try {
      const response = await fetch(address, {
        credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(SLOWEST),
      });
      if (response.status >= 500) return null;
      return new DOMParser().parseFromString(await response.text(), "text/html");
    } catch {
      return null;
    }
  }

  return { call, load, pageUrl: urls.page };
}
