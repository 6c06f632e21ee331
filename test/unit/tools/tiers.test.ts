/** Tiers through the public search (SPEC 3.6): what each finds, how it is labelled, and that looser ones fill up. */
import { describe, expect, test } from "vitest";
import type { Backscroll } from "../../../src/index.ts";
import { assistant, key, user } from "../../helpers/entries.ts";
import { lowerLimits } from "../../helpers/lower-limits.ts";
import { temporaryHome } from "../../helpers/temporary.ts";

/** A session a text, named by its number. */
function homeOf(...texts: readonly string[]): Backscroll {
  const home = temporaryHome();
  texts.forEach((text, at) => {
    home.store("main").append(key(`s${at}`), [user(`m${at}`, text, { timestamp: 1_760_000_000_000 + at })]);
  });
  return home;
}

/** `[number of the text, tier]` of each hit, best first. */
async function hits(home: Backscroll, query: string, more: object = {}): Promise<[number, string][]> {
  const { results } = await home.search({ query, limit: 25, ...more });
  return results.map(({ messageId, tier }) => [Number(messageId.slice(1)), tier]);
}

const sorted = (list: [number, string][]) => list.toSorted((a, b) => a[0] - b[0]);

describe("each tier finds its own, and stricter ones come first (SPEC 3.6)", () => {
  test("phrase, words, prefix, forms, some", async () => {
    const home = homeOf(
      "only the heron stands here",
      "herons nested by the mill",
      "a heron by the nest of others",
      "there is a heron and its nesting place",
      "look, a heron nest up there",
      "nothing of the kind",
    );
    expect(await hits(home, "heron nest")).toEqual([
      [4, "phrase"],
      [2, "words"],
      [3, "prefix"],
      [1, "forms"],
      [0, "some"],
    ]);
  });

  test("all words by the parts of a name are words, and come behind those that were said (SPEC 3.5)", async () => {
    const home = homeOf("the retry of what had a count", "see maxRetryCount", "nothing");
    expect(await hits(home, "retry count")).toEqual([
      [1, "phrase"],
      [0, "words"],
    ]);
  });

  test("a name is found as typed before it is found in another style or by its parts (SPEC 3.5)", async () => {
    const home = homeOf(
      "the max retry count is",
      "call max_retry_count",
      "maxRetryCount is read",
      "maxRetries",
      "a count of retries",
    );
    const found = await hits(home, "maxRetryCount");
    expect(found[0]).toEqual([2, "words"]);
    expect(sorted(found)).toEqual([
      [0, "words"],
      [1, "words"],
      [2, "words"],
    ]);
  });

  test("of one word: as typed, as a beginning, in another form", async () => {
    const home = homeOf("we deployed it", "the deploy failed", "deploytool is a program", "employ somebody");
    const found = await hits(home, "deploy");
    expect(found[0]).toEqual([1, "words"]);
    expect(sorted(found)).toEqual([
      [0, "prefix"],
      [1, "words"],
      [2, "prefix"],
    ]);
    expect(await hits(home, "deploying")).toEqual(
      expect.arrayContaining([
        [0, "forms"],
        [1, "forms"],
      ]),
    );
  });
});

describe("looser tiers fill the places that stricter ones left empty, up to the limit (SPEC 3.6, 4.6)", () => {
  const home = () =>
    homeOf("kettle lid", ...Array.from({ length: 20 }, (_, at) => `a kettle, number ${at}`), "the lid alone");

  test("not only where nothing was found", async () => {
    const found = await hits(home(), "kettle lid", { limit: 10 });
    expect(found).toHaveLength(10);
    expect(found[0]).toEqual([0, "phrase"]);
    expect(found.slice(1).every(([, tier]) => tier === "some")).toBe(true);
  });

  test("to the last one", async () => {
    expect(await hits(home(), "kettle lid")).toHaveLength(22);
  });

  test("also where copies and one full session take the places of many that match strictly", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(
      key("loud"),
      Array.from({ length: 120 }, (_, at) => user(`l${at}`, at % 2 === 0 ? "kettle lid" : `kettle lid ${at}`)),
    );
    store.append(key("quiet"), [user("q", "the kettle alone"), assistant("r", "kettles and lids")]);
    const { results } = await home.search({ query: "kettle lid" });
    expect(results.map(({ messageId }) => messageId)).toEqual(expect.arrayContaining(["q", "r"]));
    expect(results).toHaveLength(5);
  });

  test("also where bounds bite, and a word that nobody said hides none of the others (SPEC 4.5)", async () => {
    const { restore } = lowerLimits({ candidatePostings: 6, newestMessages: 100, ranked: 8, candidates: 3 });
    try {
      for (const query of ["kettle absentword", "kettle lid absentword", "kettle lid"]) {
        const answer = await home().search({ query, limit: 25 });
        expect(answer.results.length, query).toBeGreaterThanOrEqual(query === "kettle lid" ? 22 : 21);
      }
    } finally {
      restore();
    }
  });
});

test("a beginning or a phrase that very many have finds the newest of them, and says when that is not all (SPEC 4.5)", async () => {
  const home = homeOf(...Array.from({ length: 20 }, (_, at) => `the kettledrum sounds ${at}`));
  const { restore } = lowerLimits({ candidatePostings: 5, newestMessages: 7 });
  try {
    const answer = await home.search({ query: "kettledr", limit: 4 });
    expect(answer.results.map(({ tier }) => tier)).toEqual(["prefix", "prefix", "prefix", "prefix"]);
    expect(answer.bounded).toBe(true);
    const { results } = await home.search({ query: "the kettledrum sounds", limit: 4 });
    expect(results.map(({ tier }) => tier)).toEqual(["phrase", "phrase", "phrase", "phrase"]);
  } finally {
    restore();
  }
});

describe('match: "all" (SPEC 3.6)', () => {
  const home = () =>
    homeOf("kettle lid", "a lid of the kettle", "kettles and lids", "kettle lidded", "kettle", "kettleLid");

  test("stops after all words, as typed or as parts", async () => {
    const found = sorted(await hits(home(), "kettle lid", { match: "all" }));
    expect(found.map(([at]) => at)).toEqual([0, 1, 5]);
    expect(found.every(([, tier]) => tier === "phrase" || tier === "words")).toBe(true);
  });

  test("wants function words, too", async () => {
    expect(sorted(await hits(home(), "the kettle", { match: "all" })).map(([at]) => at)).toEqual([1]);
    expect(sorted(await hits(home(), "the kettle")).map(([at]) => at)).toEqual(expect.arrayContaining([0, 1, 2, 4]));
  });
});

describe("function words (SPEC 3.6)", () => {
  test("find nothing by themselves where something else is asked for", async () => {
    const home = homeOf("where is the lid", "the kettle boils", "what is that to you");
    expect((await hits(home, "where is the kettle")).map(([at]) => at)).toEqual([1]);
  });

  test("are all there is to find where nothing else is asked for", async () => {
    const home = homeOf("to be or not to be, she said", "something else");
    expect((await hits(home, "to be or not to be")).map(([at]) => at)[0]).toBe(0);
  });

  test("of the query's language only", async () => {
    const home = homeOf("the process will die now", "other");
    expect((await hits(home, "does the process die")).map(([at]) => at)).toEqual([0]);
    const german = homeOf("der Kessel ist heiß", "wo ist er denn nun");
    expect((await hits(german, "wo ist denn der Kessel")).map(([at]) => at)).toEqual([0]);
  });
});

describe("quotes, minus and OR hold in every tier (SPEC 3.2)", () => {
  const home = () =>
    homeOf("a blue heron nest", "a blue heron", "the blue nest of a heron", "heron nest", "a red heron nest");

  test("quoted words have to match, in this form", async () => {
    expect(sorted(await hits(home(), '"blue heron" nest')).map(([at]) => at)).toEqual([0, 1]);
    expect(await hits(homeOf("we deployed it"), '"deploy"')).toEqual([]);
  });

  test("and also where the last word is only a beginning and bounds bite (SPEC 4.5)", async () => {
    const home = homeOf(...Array.from({ length: 12 }, (_, at) => `a blue heron ${at}`), "the blue heron nesting");
    const { restore } = lowerLimits({ candidatePostings: 3, newestMessages: 2 });
    try {
      expect(await hits(home, '"blue heron" nesti', { limit: 1 })).toEqual([[12, "prefix"]]);
    } finally {
      restore();
    }
  });

  test("what is left out is left out of looser tiers as well", async () => {
    expect(sorted(await hits(home(), "heron nest -blue")).map(([at]) => at)).toEqual([3, 4]);
  });

  test("one of two is enough", async () => {
    expect(sorted(await hits(home(), "blue OR red heron")).map(([at, tier]) => `${at} ${tier}`)).toEqual([
      "0 words",
      "1 words",
      "2 words",
      "3 some",
      "4 words",
    ]);
  });
});

test("what is shown is what was found: every hit has a highlight, in whatever language the message is (SPEC 3.11, 5.1)", async () => {
  const home = homeOf(
    "Die Häuser sind nicht da, aber der walk ist noch hier.",
    "We were walking there for hours and then it was over",
    "Nous ne savons pas si le walk est dans la rue avec eux.",
  );
  for (const [query, count] of [
    ["walking", 3],
    ["walked", 3],
    ["Haus", 1],
    ["Hauses", 1],
  ] as const) {
    const { results } = await home.search({ query });
    expect(results, query).toHaveLength(count);
    for (const { snippet, highlights } of results) {
      expect(highlights.length, query).toBeGreaterThan(0);
      for (const { start, end } of highlights) expect(snippet.slice(start, end)).toMatch(/^(?:walk(?:ing)?|Häuser)$/);
    }
  }
});

describe("identifiers that nobody said find nothing with confidence (SPEC 3.8)", () => {
  test.each(["ENOTHERE", "noSuchIdentifier", "src/absent/path.ts", "v9.9.9", "deadbeefcafe", "--no-such-flag"])(
    "%s",
    async (query) => {
      const home = homeOf("the kettle is in src/kettle.ts", "version v1.2.3 of the path", "such a flag");
      const { results, explain } = await home.search({ query });
      expect(results.filter(({ tier }) => tier !== "some")).toEqual([]);
      expect(explain?.hint).toBeTruthy();
    },
  );
});

describe("mixed scripts (SPEC 3.4)", () => {
  const home = () => homeOf("请重启kettled服务吧", "重启电脑", "kettled is up", "服务", "明天去买水果");

  test("are found side by side and apart", async () => {
    expect((await hits(home(), "重启kettled"))[0]?.[0]).toBe(0);
    expect((await hits(home(), "kettled 服务"))[0]).toEqual([0, expect.stringMatching(/phrase|words/)]);
  });

  test("a sentence without spaces finds what has some of its words", async () => {
    const found = await hits(home(), "怎么重启服务");
    expect(found.map(([at]) => at)).toEqual(expect.arrayContaining([0, 1, 3]));
    expect(found.map(([at]) => at)).not.toContain(4);
  });
});

describe("sort (SPEC 4.1)", () => {
  const home = () => homeOf("kettle lid one", "kettle alone", "the lid and the kettle", "kettle lid two");
  const numbers = async (sort: string) => (await hits(home(), "kettle lid", { sort })).map(([at]) => at);

  test("by time, of those that have all words", async () => {
    expect(await numbers("newest")).toEqual([3, 2, 0]);
    expect(await numbers("oldest")).toEqual([0, 2, 3]);
  });

  test("of those that have some, where none has all", async () => {
    expect((await hits(home(), "alone two", { sort: "newest" })).map(([at]) => at)).toEqual([3, 1]);
  });

  test("the oldest is the oldest, also where every word is too common to look at all (SPEC 4.5)", async () => {
    const home = temporaryHome();
    const week = 7 * 86_400_000;
    for (let at = 0; at < 40; at++)
      home
        .store("main")
        .append(key(`s${at}`), [user(`m${at}`, `kettle ${at}`, { timestamp: 1_760_000_000_000 + at * week })]);
    const { restore } = lowerLimits({ candidatePostings: 5, newestMessages: 8 });
    try {
      const ends = async (sort: string) => (await hits(home, "kettle", { sort, limit: 3 })).map(([at]) => at);
      expect(await ends("oldest")).toEqual([0, 1, 2]);
      expect(await ends("newest")).toEqual([39, 38, 37]);
    } finally {
      restore();
    }
  });
});

describe("several agents (SPEC 4.4)", () => {
  test("stand in one order, by scores that mean the same", async () => {
    const together = temporaryHome();
    const apart = temporaryHome();
    const texts = [
      "kettle lid of copper",
      "kettle and more",
      "a lid",
      "kettle kettle lid",
      "some other words",
      "lid of the kettle here",
    ];
    texts.forEach((text, at) => {
      together.store("one").append(key(`s${at}`, "one"), [user(`m${at}`, text)]);
      const agent = at % 2 === 0 ? "one" : "two";
      apart.store(agent).append(key(`s${at}`, agent), [user(`m${at}`, text)]);
    });
    for (const query of ["kettle", "kettle lid", "where is the copper kettle lid", "kettles"]) {
      const [one, two] = await Promise.all(
        [together, apart].map(async (home) =>
          (await home.search({ query })).results.map(({ messageId, score, tier }) => ({ messageId, score, tier })),
        ),
      );
      expect(two, query).toEqual(one);
    }
  });
});

describe("ties (SPEC 4.1, 4.7)", () => {
  test("a person's own come before automatic ones of equal score, however many newer ones there are", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("mine"), [user("mine", "plover count 0", { timestamp: 1 })]);
    for (let at = 1; at < 70; at++)
      store.append(key(`cron${at}`), [user(`c${at}`, `plover count ${at}`, { timestamp: 1_000 + at })], {
        kind: "cron",
      });
    expect((await home.search({ query: "plover" })).results[0]?.messageId).toBe("mine");
  });

  test("by session key, whatever the order in which sessions came", async () => {
    const names = Array.from({ length: 90 }, (_, at) => `s${String(at).padStart(2, "0")}`);
    const answers = await Promise.all(
      [names, names.toReversed()].map(async (order) => {
        const home = temporaryHome();
        for (const name of order) home.store("main").append(key(name), [user(name, `plover ${name}x`)]);
        return (await home.search({ query: "plover" })).results.map(({ messageId }) => messageId);
      }),
    );
    expect(answers[0]).toEqual(names.slice(0, 10));
    expect(answers[1]).toEqual(answers[0]);
  });
});
