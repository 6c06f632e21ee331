import { describe, expect, test } from "vitest";
import { languageOf, languagesOfQuery, languagesTold } from "../../../src/text/language.ts";
import { type Language, languages } from "../../../src/text/languages.ts";
import { terms } from "../../../src/text/tokens.ts";

const told = (text: string) => languageOf(terms(text));

// SPEC 3.11
describe("the language of a text is told by its function words", () => {
  test.each<[Language, string]>([
    ["en", "We have to wait until the kettle is hot, and then it will be your turn."],
    ["de", "Wir haben gestern nicht gewusst, ob das Wasser schon heiß ist, aber jetzt wissen wir es."],
    ["fr", "Nous ne savons pas encore si la chaudière est dans la cave ou chez les voisins."],
    ["es", "No sabemos todavía si los barcos van a salir mañana, porque hay mucho viento."],
    ["pt", "Não sabemos se os barcos vão sair amanhã, mas ela disse que também está com medo."],
    ["it", "Non sappiamo ancora se il treno è già partito, ma gli altri sono tutti qui con noi."],
    ["nl", "Wij weten niet of het schip al vertrokken is, maar ze hebben ons nog geen bericht gestuurd."],
    ["sv", "Vi vet inte om båten har gått, men jag tror att det är för sent och att han är kvar."],
    ["fi", "En tiedä, onko laiva jo lähtenyt, mutta minä luulen että se on vielä täällä."],
    ["tr", "Gemi gitti mi bilmiyorum ama ben çok bekledim ve şimdi daha fazla bir şey yok."],
    ["ru", "Мы не знаем, где он был вчера, но я думаю, что это было уже очень поздно."],
    ["el", "Δεν ξέρουμε αν το πλοίο έφυγε, αλλά νομίζω ότι θα είναι στο λιμάνι με τους άλλους."],
    ["ar", "نحن لا نعرف هل السفينة في الميناء أو على البحر، ولكن هذا ليس من شأننا"],
    ["hi", "हम नहीं जानते कि नाव कहाँ है, लेकिन यह बहुत देर से आई और उस में कोई नहीं था"],
  ])("%s", (language, text) => {
    expect(told(text)).toBe(language);
  });

  test("Ukrainian and Bulgarian are not taken for Russian", () => {
    expect(told("Ми ще не знаємо, де він був, але я думаю, що це було дуже пізно.")).toBe("uk");
    expect(told("Ние не знаем къде беше той вчера, но аз мисля, че това е много късно и ще има още.")).toBe("bg");
  });

  test("an agent's English with names and code is English, also without a single function word", () => {
    expect(told("Fixed src/users.ts: maxRetryCount was read before the config was there.")).toBe("en");
    expect(told("npm install vite typescript")).toBe("en");
    // Words that other languages have as function words: the English around them decides.
    expect(told("The process will die if we do not stop it, so des moines is in the list.")).toBe("en");
  });

  test("no letters, or a script without spaces: none", () => {
    for (const text of ["", "12 34 :)", "明天浇水", "今日は水やり", "กุหลาบ"]) expect(told(text), text).toBeNull();
  });
});

describe("languages of a query", () => {
  const query = (text: string, among: readonly Language[] = languages) => languagesOfQuery(terms(text), among);

  test("those that its function words tell, and English, which agents write everywhere", () => {
    expect(query("wo ist das Boot nicht")).toEqual(["en", "de"]);
    expect(query("where is the boat")).toEqual(["en"]);
  });

  test("of a word alone all that are written in its letters", () => {
    expect(query("kettle", ["en", "de", "ru"])).toEqual(["en", "de"]);
    expect(query("чайник", ["en", "de", "ru", "uk"])).toEqual(["ru", "uk"]);
    expect(query("浇水")).toEqual([]);
  });

  // SPEC 4.4: English forms stand in the index as plain words, so whether they are looked for can't hang on what others said.
  test("do not depend on what the store holds, but that languages without a message are left out", () => {
    for (const text of ["kettle", "wo ist das Boot nicht", "la casa muy", "where is the boat"]) {
      const all = query(text);
      for (const among of [[], ["de"], ["es", "fr"], ["ru"]] as Language[][])
        expect(query(text, among), text).toEqual(all.filter((each) => each === "en" || among.includes(each)));
    }
  });

  test("told by most function words; none without any", () => {
    expect(languagesTold(terms("wo ist das Boot nicht"))).toEqual(["de"]);
    expect(languagesTold(terms("kettle lid"))).toEqual([]);
  });
});
