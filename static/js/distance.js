// The Levenshtein distance in code points, for showing; the server computes the one that counts.

const SPACES = /[\t\v\f\u001c-\u001f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const BITS = 32;

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
  return a.length && b.length ? compare(a, b) : a.length + b.length;
}

// A column of the table at a time, 32 cells in one number: what a cell adds to the one above it is
// 1 (a bit of `more`), -1 (a bit of `less`) or 0 (Myers 1999, in the form of Hyyrö 2003).
function compare(a, b) {
  const blocks = Math.ceil(a.length / BITS);
  const places = placesOf(a, blocks);
  const nowhere = new Int32Array(blocks);
  const more = new Int32Array(blocks).fill(-1);
  const less = new Int32Array(blocks);
  const last = (a.length - 1) % BITS;
  let total = a.length;
  for (const character of b) {
    const found = places.get(character) ?? nowhere;
    let up = 1;  // the row above all others grows by one a column
    let down = 0;
    for (let block = 0; block < blocks; block += 1) {
      const equal = found[block] | down;
      const plus = more[block];
      const kept = found[block] | less[block];
      const crossed = (((equal & plus) + plus) ^ plus) | equal;
      const rises = less[block] | ~(crossed | plus);
      const falls = plus & crossed;
      if (block === blocks - 1) total += ((rises >>> last) & 1) - ((falls >>> last) & 1);
      const risen = (rises << 1) | up;
      const fallen = (falls << 1) | down;
      more[block] = fallen | ~(kept | risen);
      less[block] = risen & kept;
      up = rises >>> (BITS - 1);
      down = falls >>> (BITS - 1);
    }
  }
  return total;
}

// Where each character stands, as bits.
function placesOf(characters, blocks) {
  const places = new Map();
  characters.forEach((character, index) => {
    if (!places.has(character)) places.set(character, new Int32Array(blocks));
    places.get(character)[Math.floor(index / BITS)] |= 1 << (index % BITS);
  });
  return places;
}
