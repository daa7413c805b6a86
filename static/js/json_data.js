// What the server wrote into the page for its script.

export function readJson(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

// Fills `%(name)s` in a translated sentence.
export function fill(sentence, values) {
  return sentence.replace(/%\((\w+)\)s/g, (_all, name) => String(values[name]));
}

// Chooses the plural form of this page's language.
export function plural(forms, n, values = {}) {
  const category = new Intl.PluralRules(document.documentElement.lang || "en").select(n);
  return fill(forms[category] ?? forms.other, { n: n.toLocaleString(document.documentElement.lang || "en"), ...values });
}

// Equal in content, to its depth: the database does not keep the order of keys.
export function same(a, b) {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length
    && names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
}

const isObject = (value) => typeof value === "object" && value !== null;
