// Word by word: what was taken out and put in. Longest common subsequence over words and marks.

const CELLS = 12_000_000;  // beyond it a comparison would be felt while typing

// A word: letters and digits, or one character of a script without blanks. estimation/metrics/text.py
// has the same rule; tests/words.json has examples of both.
const DENSE = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc`;
const SPELLED = String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const RUN = String.raw`(?:(?![${DENSE}${SPELLED}])[\p{L}\p{N}_][\p{M}\p{Cf}]*)+`;
const WORD = String.raw`[${DENSE}${SPELLED}]\p{M}*|${RUN}(?:(?:['’.·:](?=\p{L})|['’.,;](?=\p{N}))${RUN})*`;
// A word or a mark; the space before it goes along.
const TOKEN = new RegExp(String.raw`(\s*)(${WORD}|\S)`, "gu");

export const words = (text) => text.match(new RegExp(WORD, "gu")) ?? [];

export const tokenise = (text) =>
  Array.from(text.matchAll(TOKEN), ([, space, word]) => ({ space, word }));

// Returns [{kind: "same" | "out" | "in", space, text}], or null when the texts are too long.
export function wordDiff(before, after) {
  const a = tokenise(before);
  const b = tokenise(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start].word === b[start].word) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end).word === b.at(-1 - end).word) end += 1;
  const middle = align(a.slice(start, a.length - end), b.slice(start, b.length - end));
  if (!middle) return null;
  const same = (token) => ({ kind: "same", ...token });
  return merge([...b.slice(0, start).map(same), ...middle, ...b.slice(b.length - end).map(same)]);
}

function align(a, b) {
  if (a.length * b.length > CELLS) return null;
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = a[i].word === b[j].word
        ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const steps = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i].word === b[j].word) {
      steps.push({ kind: "same", ...b[j] });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) {
      steps.push({ kind: "out", ...a[i] });
      i += 1;
    } else {
      steps.push({ kind: "in", ...b[j] });
      j += 1;
    }
  }
  return steps;
}

// Joins neighbours of one kind; the space before a run stays outside its mark.
function merge(steps) {
  const runs = [];
  for (const { kind, space, word } of steps) {
    const run = runs.at(-1);
    if (run?.kind === kind) run.text += space + word;
    else runs.push({ kind, space, text: word });
  }
  return runs;
}
