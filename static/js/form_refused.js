// A form has the token of the log-in at which it was loaded; the cookie has that of the last one.

export function freshen(form) {
  const token = document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/)?.[1];
  const field = form.elements.csrfmiddlewaretoken;
  if (token && field) field.value = token;
}

const again = document.getElementById("again");
again?.addEventListener("submit", () => freshen(again));
