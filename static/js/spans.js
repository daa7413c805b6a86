// Spans of a text: [start, end) pairs of code points, as the server reads and merges them.

const ONLY_SPACE = /^\p{White_Space}*$/u;
const HYPHEN = /^[-\u2010\u2011]$/u;
const LETTERS = /^[\p{L}\p{N}]/u;
const MORE_THAN_MARKS = /[^\p{P}\p{White_Space}\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/u;

export const characters = (text) => Array.from(text);

const isSpace = (some) => ONLY_SPACE.test(some.join(""));

// Sorted; those that overlap, touch, or have nothing but space between them are one.
// apart: only those that overlap are.
export function merge(spans, chars, { apart = false } = {}) {
  const merged = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = merged.at(-1);
    if (last && (apart ? start < last[1] : isSpace(chars.slice(last[1], start)))) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

// As it is sent: the words go along, so that the server sees whether both count alike.
export const quoted = (spans, chars) =>
  spans.map(([start, end]) => ({ start, end, text: chars.slice(start, end).join("") }));

// Widened to whole words, without space at its ends; null where nothing is left.
export function snap([from, to], segments, chars) {
  const touched = segments.filter((s) => s.start < to && s.end > from);
  if (!touched.length) return null;
  let start = touched[0].start;
  let end = touched.at(-1).end;
  while (start < end && isSpace([chars[start]])) start += 1;
  while (end > start && isSpace([chars[end - 1]])) end -= 1;
  return start < end ? [start, end] : null;
}

// What a text consists of, in code points: words, and what stands between them.
export function segment(text, language) {
  let at = 0;
  return hyphenated(pieces(text, language)).map((piece) => {
    const start = at;
    at += characters(piece).length;
    return { start, end: at, isWord: MORE_THAN_MARKS.test(piece) };
  });
}

function pieces(text, language) {
  if (!Intl.Segmenter) return text.match(/\p{White_Space}+|\P{White_Space}+/gu) ?? [];
  const segmenter = new Intl.Segmenter(known(language), { granularity: "word" });
  return Array.from(segmenter.segment(text), (piece) => piece.segment);
}

// “thirty-two” is one word to a reader.
function hyphenated(given) {
  const isLetters = (piece) => LETTERS.test(piece ?? "");
  return given.reduce((words, piece, i) => {
    const hyphen = HYPHEN.test(piece) && isLetters(given[i - 1]) && isLetters(given[i + 1]);
    const after = HYPHEN.test(given[i - 1] ?? "") && isLetters(piece) && isLetters(given[i - 2]);
    if (hyphen || after) words.push(words.pop() + piece);
    else words.push(piece);
    return words;
  }, []);
}

// A campaign's language may be no language tag at all; words are then cut as anywhere.
function known(language) {
  try {
    return Intl.Segmenter.supportedLocalesOf(language || []);
  } catch {
    return [];
  }
}
