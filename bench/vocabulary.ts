/**
 * Words for made-up text: English function words at the top of a Zipf curve, below them invented words that can be
 * pronounced, and what agents' transcripts are full of: identifiers, paths, hashes, versions, flags. And Chinese, as
 * invented words of two common characters.
 */
import { pick, type Random, seeded, whole, zipf } from "./random.ts";

/** Distinct words; the size of the vocabulary that real transcripts of a few hundred megabytes showed. */
export const vocabularySize = 120_000;

const functionWords = (
  "the to and a of in is it that for you i this on with be as not have are but if or can was at by from so we will an " +
  "do what all your there when which has would one they then no use just like should now out up about need more some " +
  "into been how get only make also where any its here my other than before after because could first them these does " +
  "let see me their same each don't which's there's since still while both those such without using between over well"
).split(" ");

const onsets = "b c d f g h k l m n p r s t v w br cl dr fl gr pl pr sk st tr".split(" ");
const vowels = ["a", "e", "i", "o", "u"];
const codas = ["", "n", "r", "l", "t", "s", "m", "nd"];
const syllables = onsets.flatMap((onset) => vowels.map((vowel) => onset + vowel));

/** The word of a rank: 0 is the commonest. Every rank has a word of its own. */
export function wordOf(rank: number): string {
  const common = functionWords[rank];
  if (common !== undefined) return common;
  // Common words are short. A multiplication modulo a prime scatters the ranks without two meeting, so that neighbours
  // in rank are not neighbours in spelling: a prefix then matches words of all frequencies.
  const length = rank < 2500 ? 2 : 3;
  let rest = length === 2 ? (rank * 48_271) % 124_991 : (rank * 104_729) % 1_953_109;
  let word = codas[rest % codas.length] ?? "";
  rest = Math.floor(rest / codas.length);
  for (let i = 0; i < length; i++) {
    word = (syllables[rest % syllables.length] ?? "") + word;
    rest = Math.floor(rest / syllables.length);
  }
  return word;
}

export function isFunctionWord(word: string): boolean {
  return functionWords.includes(word);
}

const chineseCharacters = [
  ..."的一是不了人在有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔",
];

const chineseWords = 20_000;

function chineseWord(rank: number): string {
  const { length } = chineseCharacters;
  const scattered = (rank * 7919) % (length * length);
  return `${chineseCharacters[Math.floor(scattered / length)]}${chineseCharacters[scattered % length]}`;
}

/** Chinese text of about that many UTF-8 bytes, with punctuation. */
export function chineseText(random: Random, bytes: number): string {
  let text = "";
  for (let left = bytes; left > 0; ) {
    const words = 3 + whole(random, 9);
    for (let i = 0; i < words; i++) text += chineseWord(zipf(random, chineseWords));
    text += random() < 0.7 ? "，" : "。";
    left -= words * 6 + 3;
  }
  return `${text.slice(0, -1)}。`;
}

function content(random: Random): string {
  return wordOf(functionWords.length + zipf(random, vocabularySize - functionWords.length));
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function hex(random: Random, digits: number): string {
  let text = "";
  for (let i = 0; i < digits; i++) text += whole(random, 16).toString(16);
  return text;
}

/** What programs call things. */
const technical: readonly ((random: Random) => string)[] = [
  (random) => content(random) + capital(content(random)) + capital(content(random)),
  (random) => `${content(random)}_${content(random)}`,
  (random) => `src/${content(random)}/${content(random)}.ts`,
  (random) => `${content(random)}/${content(random)}-${content(random)}.test.ts:${1 + whole(random, 900)}`,
  (random) => hex(random, 7),
  (random) => hex(random, 40),
  (random) => `v${whole(random, 30)}.${whole(random, 20)}.${whole(random, 10)}`,
  (random) => `--${content(random)}-${content(random)}`,
  (random) => `${capital(content(random))}${capital(content(random))}Error: ${content(random)} ${content(random)}`,
  (random) => `https://${content(random)}.example/${content(random)}/${whole(random, 10_000)}`,
  (random) => String(whole(random, 100_000)),
];

/** English-like text of about that many bytes, a share of it identifiers and paths; line breaks in long texts. */
export function englishText(random: Random, bytes: number): string {
  let text = "";
  let left = 4 + whole(random, 14);
  while (text.length < bytes) {
    const word = random() < 0.06 ? pick(random, technical)(random) : wordOf(zipf(random, vocabularySize));
    text += text === "" || text.endsWith("\n") ? capital(word) : ` ${word}`;
    left -= 1;
    if (left > 0) continue;
    text += random() < 0.15 ? ".\n" : pick(random, [".", ".", ",", ":", "?"]);
    left = 4 + whole(random, 14);
  }
  return text;
}

/** Output of tools: source code, listings, logs. About `bytes` long, made for cutting pieces from. */
export function toolOutput(seed: number, bytes: number): string {
  const random = seeded(seed, 7);
  const lines: string[] = [];
  for (let length = 0; length < bytes; ) {
    const indent = "  ".repeat(whole(random, 5));
    const name = pick(random, technical);
    const line = pick(random, [
      () => `${indent}const ${content(random)} = ${content(random)}(${name(random)}, "${content(random)}");`,
      () => `${indent}if (${content(random)} === null) throw new Error(\`${englishText(random, 30)}\`);`,
      () =>
        `-rw-r--r--  1 ines ines ${String(whole(random, 1e6)).padStart(7)} Mar ${1 + whole(random, 28)} ${name(random)}`,
      () => `${1 + whole(random, 999)}\t${indent}// ${englishText(random, 50)}`,
      () => `[${whole(random, 100)}ms] ${name(random)} ${englishText(random, 60)}`,
      () => "",
    ])();
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join("\n");
}
