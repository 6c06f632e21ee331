import { describe, expect, test } from "vitest";
import { languagesOf } from "../../../src/store/index-languages.ts";
import { transaction } from "../../../src/store/transaction.ts";
import { key, user } from "../../helpers/entries.ts";
import { memoryStore, temporaryHome } from "../../helpers/temporary.ts";

const german = "Die Häuser sind nicht da, aber das Haus ist noch hier.";
const french = "Nous ne savons pas encore si les maisons sont dans la rue.";

// SPEC 3.11
describe("languages of the index", () => {
  test("are those that messages were in", () => {
    const store = memoryStore();
    expect(languagesOf(store.db)).toEqual([]);
    store.append(key("a"), [user("m1", german), user("m2", "the kettle is hot")]);
    expect(languagesOf(store.db)).toEqual(["en", "de"]);
  });

  test("one that was first told in a transaction that failed is told again by the next message in it", () => {
    const store = memoryStore();
    const failing = (text: string, id: string) =>
      expect(() =>
        transaction(store.db, () => {
          store.append(key("a"), [user(id, text)]);
          throw new Error("no");
        }),
      ).toThrow();
    failing(german, "m1");
    expect(languagesOf(store.db)).toEqual([]);
    // The same within a transaction that goes on.
    transaction(store.db, () => {
      failing(french, "m2");
      store.append(key("a"), [user("m3", german)]);
    });
    expect(languagesOf(store.db)).toEqual(["de"]);
    store.append(key("a"), [user("m4", french)]);
    expect(languagesOf(store.db)).toEqual(["de", "fr"]);
  });

  test("and by the next message after the index was made anew by somebody else", () => {
    const store = memoryStore();
    store.append(key("a"), [user("m1", german)]);
    store.db.exec("DELETE FROM index_state WHERE name GLOB 'language:*'");
    store.append(key("a"), [user("m2", german)]);
    expect(languagesOf(store.db)).toEqual(["de"]);
  });

  test("a form is found after a failed first try (SPEC 3.6)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    expect(() =>
      transaction(store.db, () => {
        store.append(key("a"), [user("m1", german)]);
        throw new Error("no");
      }),
    ).toThrow();
    store.append(key("a"), [user("m1", german)]);
    expect((await home.search({ query: "Hauses" })).results.map(({ tier }) => tier)).toEqual(["forms"]);
  });
});
