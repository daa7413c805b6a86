// The Levenshtein distance in code points, for showing; the server computes the one that counts.

const SPACES = /[\t\v\f\u001c-\u001f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

// As the server compares: line ends, spaces, invisible characters, NFC, spaces at line ends.
export const normalise = (text) =>
  text.replace(/\r\n|[\r\u0085\u2028\u2029]/g, "\n").replace(SPACES, " ").replace(/[\u200b\u2060\ufeff]/g, "")
    .normalize("NFC").replace(/ +(?=\n)/g, "").replace(/[ \n]+$/, "");

export const wordsOnly = (text) => normalise(text).split(/\s+/).filter(Boolean).join(" ");

export function distance(before, after) {
  let a = Array.from(normalise(before));
  let b = Array.from(normalise(after));
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  a = a.slice(start, a.length - end);
  b = b.slice(start, b.length - end);
  let row = Uint32Array.from({ length: b.length + 1 }, (_cell, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = new Uint32Array(b.length + 1);
    next[0] = i;
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
