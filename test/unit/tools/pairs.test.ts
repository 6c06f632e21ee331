/** Spellings that must and must not meet, through the real store: what was said, what is asked (SPEC 3.3, 3.4, 3.11). */
import { describe, expect, test } from "vitest";
import { key, user } from "../../helpers/entries.ts";
import { temporaryHome } from "../../helpers/temporary.ts";

async function found(said: string, asked: string): Promise<string[]> {
  const home = temporaryHome();
  home.store("main").append(key("a"), [user("m1", said), user("m2", "quite another thing")]);
  const { results } = await home.search({ query: asked });
  return results.map(({ snippet, highlights }) =>
    highlights.map(({ start, end }) => snippet.slice(start, end)).join(" "),
  );
}

const zwnj = "\u200C";
const zwj = "\u200D";

describe("must meet", () => {
  test.each<[string, string, string]>([
    ["Persian and Arabic yeh", "کتاب علی اینجاست", "علي"],
    ["Arabic and Persian kaf", "هذا كتاب جديد", "کتاب"],
    ["Persian digits", "نسخه ۱۲۳۴ منتشر شد", "1234"],
    ["Arabic digits", "الإصدار ١٢٣٤ جاهز", "1234"],
    ["ASCII digits, asked in Persian ones", "version 1234 is out", "۱۲۳۴"],
    ["tatweel", "الكتـــاب على الطاولة", "الكتاب"],
    ["ZWNJ, and none", `می${zwnj}خواهم بدانم`, "میخواهم"],
    ["Arabic vowel points", "كَتَبَ الرسالة", "كتب"],
    ["hamza on alef", "أحمد هنا", "احمد"],
    ["teh marbuta and heh", "المدرسة بعيدة", "المدرسه"],
    ["Turkish İ, lower case", "İstanbul güzel", "istanbul"],
    ["Turkish capitals without a dot", "İstanbul güzel", "ISTANBUL"],
    ["Turkish ı", "ıstanbul yazdı", "istanbul"],
    ["capital I for ı", "ISTANBUL", "ıstanbul"],
    ["ß and ss", "die Straße ist lang", "strasse"],
    ["ss and ß", "die STRASSE ist lang", "straße"],
    ["capital ẞ", "GROẞE STRAẞE", "große"],
    ["Greek final sigma", "ο δρόμος είναι μακρύς", "ΔΡΟΜΟΣ"],
    ["Greek accents", "η οδός", "οδος"],
    ["Vietnamese", "Tiếng Việt rất hay", "tieng viet"],
    ["Vietnamese đ", "đường phố", "duong"],
    ["decomposed Vietnamese", "Tiếng Việt".normalize("NFD"), "tiếng"],
    ["Devanagari", "हिन्दी में लिखा है", "हिन्दी"],
    ["Thai, two characters of a sentence", "ฉันชอบกุหลาบแดง", "กุหลาบ"],
    ["Thai, two characters", "ฉันมา", "มา"],
    ["Japanese, two characters of a word", "東京都に行きます", "京都"],
    ["Katakana and hiragana", "カメラを買った", "かめら"],
    ["half width katakana", "ｶﾒﾗを買った", "カメラ"],
    ["Korean, two characters of a word", "대한민국 서울특별시", "서울"],
    ["one Han character", "我去浇水", "水"],
    ["Han that touches Latin", "用vite构建", "vite"],
    ["full width Latin", "ＡＢＣ１２３ の番号", "abc123"],
    ["asked in full width", "call abc123 now", "ＡＢＣ１２３"],
    ["é and e", "the café is closed", "cafe"],
    ["e and é", "the cafe is closed", "CAFÉ"],
    ["Ł and L", "Łódź jest miastem", "lodz"],
    ["ø and o", "en rød båt", "rod bat"],
    ["æ and ae", "Ærø er en ø", "aero"],
    ["an emoji", "well done 🎉 everyone", "🎉"],
    ["an emoji in another skin tone", "thanks 👍🏽 a lot", "👍"],
    ["a family of emoji", `the 👩${zwj}🌾 is here`, `👩${zwj}🌾`],
    ["apostrophes", "we don’t know", "don't"],
    ["none at all", "we don't know", "dont"],
    ["soft hyphen", "a sea\u00ADside house", "seaside"],
    ["ligature", "the ﬁle is gone", "file"],
    ["German forms", "Die Häuser sind nicht da, aber wir haben noch Zeit.", "Haus"],
    ["Russian forms", "Он купил чайники и не сказал нам", "чайник"],
    ["Spanish forms", "No sabemos si los barcos van a salir", "barco"],
  ])("%s: %s ← %s", async (_name, said, asked) => {
    const hits = await found(said, asked);
    expect(hits).toHaveLength(1);
    expect(hits[0]).not.toBe("");
  });
});

describe("must not meet", () => {
  test.each<[string, string, string]>([
    ["other letters that look alike in Arabic", "حبر على ورق", "جبر"],
    ["Arabic heh and hah", "هذا كلام", "حذا"],
    ["other digits", "نسخه ۱۲۳۴", "1235"],
    ["Devanagari vowel signs: की is not का", "की", "का"],
    ["Devanagari: दिन is not दीन", "दिन अच्छा था", "दीन"],
    ["Thai vowels: มา is not มี", "ฉันมา", "มี"],
    ["Thai, characters that do not touch", "กุหลาบแดง", "กด"],
    ["dakuten: か is not が", "かき", "がき"],
    ["Han in another order", "東京", "京東"],
    ["Korean syllables in another order", "서울", "울서"],
    ["one emoji for another", "well done 🎉", "🎊"],
    ["one flag for another", "from 🇩🇪", "🇫🇷"],
    ["Greek and Latin look-alikes", "αυτο", "auto"],
    ["Cyrillic and Latin look-alikes", "сор", "cop"],
    ["Turkish: iz is not az", "iz", "az"],
    ["ß is not b", "Maße", "mabe"],
    ["Ł is not t", "łan", "tan"],
    ["half a word", "the kettledrum", "drum"],
    ["a name's case style does not make words meet", "max_retry", "maxretries_count"],
    ["other stems", "the universe is large", "general"],
    ["a form of one language in another", "Die Gifte sind nicht da, aber wir haben noch Zeit.", "gifted"],
  ])("%s: %s ↮ %s", async (_name, said, asked) => {
    expect(await found(said, asked)).toEqual([]);
  });
});
