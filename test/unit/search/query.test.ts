import { describe, expect, test } from "vitest";
import { limits } from "../../../src/limits.ts";
import { type FilterCheck, filterNames, parseQuery, type Term } from "../../../src/search/query.ts";

const noFilter: FilterCheck = () => false;
const roles: FilterCheck = (name, value) =>
  name === "role" ? ["user", "assistant"].includes(value) : name === "after" ? /^\d/.test(value) : value !== "";

/** A term in short: index terms, `*` for a beginning, quotes for a phrase, `~` before the form in parts. */
function short({ forms, prefix, quoted }: Term): string {
  const form = forms.map((terms) => terms.join(" ") + (prefix ? "*" : "")).join(" ~ ");
  return quoted ? `"${form}"` : form;
}

function read(input: string, isFilter = noFilter) {
  const { clauses, without, filters, ignored } = parseQuery(input, isFilter);
  return {
    wanted: clauses.map((clause) => clause.map(short).join(" | ")),
    ...(without.length > 0 && { without: without.map(short) }),
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(ignored.length > 0 && { ignored }),
  };
}

const wanted = (input: string, isFilter = noFilter) => read(input, isFilter).wanted;

describe("words", () => {
  // SPEC 3.2
  test.each([
    ["kettle lid", ["kettle", "lid"]],
    ["  kettle\n\tlid\u3000urn ", ["kettle", "lid", "urn"]],
    ["kettle AND NOT lid NEAR urn", ["kettle", "and", "not", "lid", "near", "urn"]],
    ["DO NOT PRUNE /", ["do", "not", "prune"]],
    ["deploy*", ["deploy*"]],
    ["*deploy*", ["deploy*"]],
    ["**deploy**", ["deploy"]],
    ["浇水*", ["浇 水*"]],
    ["हिन्दी*", ["हिन्दी*"]],
    ["cafe\u0301*", ["cafe*"]],
    ["🍐*", ["🍐"]],
    ["maxRet*", ["maxret* ~ max ret*"]],
  ])("%j wants %j", (input, expected) => {
    expect(wanted(input)).toEqual(expected);
  });

  // SPEC 3.5: found as typed, words side by side; in another case style, by their parts.
  test.each([
    ["spare-part", ["spare part"]],
    ["rotate_seed_trays", ["rotate seed trays"]],
    ["31.07", ["31 07"]],
    ["maxRetryCount", ["maxretrycount ~ max retry count"]],
    ["src/bedGrid/index.ts:12", ["src bedgrid index ts 12 ~ src bed grid index ts 12"]],
    ["C++", ["c"]],
    ["c#", ["c"]],
    [".env", ["env"]],
    ["--flag=value", ["flag value"]],
    ["foo:bar", ["foo bar"]],
    ["ops@kettle.test", ["ops kettle test"]],
    ["don't", ["dont ~ don t"]],
    ["#417", ["417"]],
    ["水_温", ["水 温"]],
    ["重启kettled", ["重 启 kettled"]],
  ])("%j stands side by side: %j", (input, expected) => {
    expect(wanted(input)).toEqual(expected);
  });

  // SPEC 3.1: punctuation around a word is not part of it (deja-vu#1603).
  test.each(["descale?", "(descale)", "“descale”", '"" descale', "descale!", "descale,", "'descale'", "«descale»."])(
    "%j is the word",
    (input) => {
      expect(wanted(input).map((term) => term.replaceAll('"', ""))).toEqual(["descale"]);
    },
  );

  // SPEC 3.1: what can't be searched for is named, never an error.
  test.each([":)", "{}", "::", "***", "---", "()", "^", "\\", "'", "--", "-", "*", "\u200B", "\uD800", "\u0000"])(
    "%j holds nothing to search for",
    (input) => {
      expect(read(input)).toEqual({ wanted: [], ignored: [input] });
    },
  );

  test("empty quotes are nothing at all", () => {
    expect(read('"" “” -""')).toEqual({ wanted: [] });
  });
});

describe("phrases", () => {
  // SPEC 3.2: "exact phrase" (hermes-agent#1770)
  test.each([
    '"blue heron"',
    "“blue heron”",
    "„blue heron“",
    "‟blue heron”",
    "«blue heron»",
    "»blue heron«",
    "＂blue heron＂",
    '("blue heron").',
    '["blue heron"],',
    '\\"blue heron\\"',
    '_"blue heron"_',
    '"blue, heron"',
    '"blue\nheron"',
  ])("%j is one", (input) => {
    expect(read(input)).toEqual({ wanted: ['"blue heron"'] });
  });

  test("is searched for as it is: no parts, no beginning", () => {
    expect(wanted('"bedGrid now*"')).toEqual(['"bedgrid now"']);
  });

  test("stands beside what follows it without a space", () => {
    expect(wanted('"blue heron"nest')).toEqual(['"blue heron"', "nest"]);
    expect(wanted('"blue heron"-nest')).toEqual(['"blue heron"', "nest"]);
    expect(wanted('"blue heron""grey owl"')).toEqual(['"blue heron"', '"grey owl"']);
  });

  test("one kind of quotes may stand in another", () => {
    expect(wanted('"the “blue” heron"')).toEqual(['"the blue heron"']);
    expect(wanted('“the "blue" heron”')).toEqual(['"the blue heron"']);
  });

  // SPEC 3.2: a quote that is never closed is text (emdash#777).
  test.each([
    '"blue heron',
    'blue heron"',
    'blue "heron',
    "“blue heron",
    'blue heron”"',
    '-"blue heron',
    'blue “heron"',
  ])("%j is two words", (input) => {
    expect(wanted(input)).toEqual(["blue", "heron"]);
  });

  test("an inch is no quote", () => {
    expect(wanted('5"x7" print')).toEqual(["5 x7 ~ 5 x 7", "print"]);
  });
});

describe("leaving out", () => {
  // SPEC 3.2
  test.each([
    ["kettle -lid", ["lid"]],
    ["-lid kettle", ["lid"]],
    ['kettle -"copper lid"', ['"copper lid"']],
    ["kettle -“copper lid”", ['"copper lid"']],
    ['kettle (-"copper lid")', ['"copper lid"']],
    ["kettle -spare-part", ["spare part"]],
    ["kettle -lid*", ["lid*"]],
    ["kettle -42", ["42"]],
    ["kettle -盖", ["盖"]],
    ["kettle -🍐", ["🍐"]],
    ["kettle -é", ["e"]],
    ["kettle -bedGrid", ["bedgrid ~ bed grid"]],
    ["kettle -OR", ["or"]],
  ])("%j", (input, without) => {
    expect(read(input)).toEqual({ wanted: ["kettle"], without });
  });

  // SPEC 3.2: flags are text (govarnam#27).
  test.each([
    ["kettle --dry-run", "dry run"],
    ["kettle -m", "m"],
    ["kettle -x=1", "x 1"],
    ["kettle -x-ray", "x ray"],
    ["kettle ->lid", "lid"],
    ["kettle -/lid", "lid"],
    ["kettle -.5", "5"],
    ["kettle - lid", "lid"],
    ["kettle pre-lid", "pre lid"],
  ])("%j leaves out nothing", (input, second) => {
    const { wanted: words, without } = read(input);
    expect({ words, without }).toEqual({ words: ["kettle", second], without: undefined });
  });

  test("a query that only leaves out is text", () => {
    expect(read("-lid")).toEqual({ wanted: ["lid"] });
    expect(read('-"copper lid" -urn')).toEqual({ wanted: ['"copper lid"', "urn"] });
    expect(read("-lid role:user", roles)).toEqual({ wanted: ["lid"], filters: { role: "user" } });
    expect(read("??? -lid")).toEqual({ wanted: ["lid"], ignored: ["???"] });
  });
});

describe("OR", () => {
  // SPEC 3.2
  test.each([
    ["kettle OR urn", ["kettle | urn"]],
    ["copper kettle OR urn lid", ["copper", "kettle | urn", "lid"]],
    ['kettle OR "copper urn" OR lid*', ['kettle | "copper urn" | lid*']],
    ["kettle OR OR urn", ["kettle | urn"]],
    ["kettle OR role:user urn", ["kettle | urn"]],
    ["kettle OR ??? urn", ["kettle | urn"]],
  ])("%j", (input, expected) => {
    expect(wanted(input, roles)).toEqual(expected);
  });

  test.each([
    ["kettle or urn", ["kettle", "or", "urn"]],
    ['kettle "OR" urn', ["kettle", '"or"', "urn"]],
    ["OR kettle", ["or", "kettle"]],
    ["kettle OR", ["kettle", "or"]],
    ["OR", ["or"]],
    ["( OR )", ["or"]],
    ["??? OR kettle OR !", ["or", "kettle", "or"]],
    ["kettle (OR) urn", ["kettle", "or", "urn"]],
  ])("%j has it as a word", (input, expected) => {
    expect(wanted(input)).toEqual(expected);
  });

  test("without a word on both sides it is named as ignored", () => {
    expect(read("kettle OR -urn")).toEqual({ wanted: ["kettle"], without: ["urn"], ignored: ["OR"] });
    expect(read("-urn OR kettle")).toEqual({ wanted: ["kettle"], without: ["urn"], ignored: ["OR"] });
    expect(read("-kettle OR -urn")).toEqual({ wanted: ["kettle", "urn"], ignored: ["OR"] });
    expect(read("role:user OR kettle", roles)).toEqual({
      wanted: ["kettle"],
      filters: { role: "user" },
      ignored: ["OR"],
    });
    expect(read("kettle OR OR role:user", roles)).toEqual({
      wanted: ["kettle"],
      filters: { role: "user" },
      ignored: ["OR"],
    });
  });
});

describe("filters", () => {
  // SPEC 3.2
  test.each(filterNames)("%s:", (name) => {
    expect(read(`kettle ${name}:x1 lid`, () => true)).toEqual({ wanted: ["kettle", "lid"], filters: { [name]: "x1" } });
    expect(read(`${name}:"my folder"`, () => true)).toEqual({ wanted: [], filters: { [name]: "my folder" } });
    expect(read(`${name}:“my folder”`, () => true)).toEqual({ wanted: [], filters: { [name]: "my folder" } });
  });

  test.each([
    ["after:2026-03-01T14:00+02:00", { after: "2026-03-01T14:00+02:00" }],
    ["session:agent:main:desk", { session: "agent:main:desk" }],
    ["project:C:\\work\\orchid", { project: "C:\\work\\orchid" }],
    ['project:"C:\\my work"', { project: "C:\\my work" }],
    ["project:~/work/orchid", { project: "~/work/orchid" }],
    ['(project:"my work")', { project: "my work" }],
  ])("%j", (input, filters) => {
    expect(read(input, roles)).toEqual({ wanted: [], filters });
  });

  test("quotes that are never closed are not part of a value", () => {
    expect(read('project:"my folder', roles)).toEqual({ wanted: ["folder"], filters: { project: "my" } });
  });

  // SPEC 3.2: what does not parse as syntax is text, role:walnut among it (claude-mem#10).
  test.each([
    ["role:walnut", ["role walnut"]],
    ['role:"walnut tree"', ['"role walnut tree"']],
    ["after:dinner", ["after dinner"]],
    ["role:", ["role"]],
    ["role: user", ["role", "user"]],
    ["Role:user", ["role user"]],
    ["text:walnut", ["text walnut"]],
    ["myrole:user", ["myrole user"]],
    ["(role:user)", ["role user"]],
    ['"role:user"', ['"role user"']],
    ["http://kettle.test/?after:7d", ["http kettle test after 7d ~ http kettle test after 7 d"]],
    ["https://after:7d", ["https after 7d ~ https after 7 d"]],
    ["constructor:x __proto__:x toString:x", ["constructor x", "proto x", "tostring x ~ to string x"]],
    ['label:"walnut tree"', ["label walnut tree"]],
  ])("%j is text", (input, expected) => {
    expect(read(input, roles)).toEqual({ wanted: expected });
  });

  test("with a minus is text that is left out", () => {
    expect(read('kettle -project:"my folder"', roles)).toEqual({
      wanted: ["kettle"],
      without: ['"project my folder"'],
    });
  });

  test("of one name the last holds, the others are named", () => {
    expect(read("role:user kettle role:assistant", roles)).toEqual({
      wanted: ["kettle"],
      filters: { role: "assistant" },
      ignored: ["role:user"],
    });
  });
});

describe("bounds", () => {
  const most = limits.queryTerms.default;

  // SPEC 3.8: what was ignored is named.
  test("terms over the limit are named", () => {
    const words = Array.from({ length: most + 2 }, (_, at) => `w${at}x`);
    const { clauses, ignored } = parseQuery(words.join(" "), noFilter);
    expect(clauses.length).toBe(most);
    expect(ignored).toEqual(words.slice(most));
  });

  test("terms that are left out or stand after an OR count too", () => {
    const { clauses, without, ignored } = parseQuery(`a${" OR b -cc".repeat(most)}`, noFilter);
    expect(clauses.flat().length + without.length).toBe(most);
    expect(ignored.filter((text) => text !== "OR").length).toBe(1 + 2 * most - most);
  });

  test("an OR at the end takes no place over the limit", () => {
    const { clauses, ignored } = parseQuery(`${"a ".repeat(most)}OR`, noFilter);
    expect(clauses.length).toBe(most);
    expect(ignored).toEqual(["OR"]);
  });
});
