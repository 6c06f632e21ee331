/** Figures of known items: per kind of string and form of asking, in the first five, MRR, empty. */
import { round, type SetFigures, setFigures } from "./figures.ts";
import type { JudgedAnswer } from "./judged-answer.ts";
import { forms } from "./known-form.ts";
import type { KnownItems } from "./known-items.ts";
import { stringKinds } from "./known-string.ts";
import { formatTable } from "./table.ts";

export interface FormFigures {
  readonly n: number;
  /** Percent of queries with one of their messages among the first five hits. */
  readonly first5: number;
  readonly mrr: number;
  readonly empty: number;
}

export interface KnownFigures {
  readonly figures: SetFigures;
  /** By form alone, over all kinds. */
  readonly byForm: Readonly<Record<string, FormFigures>>;
  readonly table: string;
}

/** @param answers In the order of the items. */
export function knownFigures({ items, messages, masked }: KnownItems, answers: readonly JudgedAnswer[]): KnownFigures {
  const asked = items.flatMap(({ kind, form }, at) => {
    const answer = answers[at];
    return answer === undefined ? [] : [{ kind, form, answer }];
  });
  const pick = (kind: string | null, form: string | null) =>
    asked
      .filter((one) => (kind ?? one.kind) === one.kind && (form ?? one.form) === one.form)
      .map(({ answer }) => answer);
  const row = (kind: string, form: string, group: readonly JudgedAnswer[]) => {
    if (group.length === 0) return [];
    const { n, first5, mrr, empty } = formFigures(group);
    return [[kind, form, n, first5, mrr, empty]];
  };
  const rows = [
    ...stringKinds.flatMap((kind) => forms.flatMap((form) => row(kind, form, pick(kind, form)))),
    ...forms.flatMap((form) => row("(all)", form, pick(null, form))),
    ...row("all", "", pick(null, null)),
  ];
  const perKindAndForm = asked.map(({ kind, form, answer }) => ({ ...answer, kind: `${kind}, ${form}` }));
  return {
    figures: setFigures(perKindAndForm),
    byForm: Object.fromEntries(
      forms.flatMap((form) => {
        const group = pick(null, form);
        return group.length === 0 ? [] : [[form, formFigures(group)] as const];
      }),
    ),
    table: [
      `${items.length} queries from ${messages} messages; ${masked} strings left out, as redaction masks them`,
      "",
      formatTable(["kind", "form", "n", "in the first 5, %", "MRR, %", "empty, %"], rows),
    ].join("\n"),
  };
}

function formFigures(answers: readonly JudgedAnswer[]): FormFigures {
  const mean = (of: (answer: JudgedAnswer) => number) =>
    round((100 * answers.reduce((sum, answer) => sum + of(answer), 0)) / answers.length);
  return {
    n: answers.length,
    first5: mean(({ message }) => message?.hit5 ?? 0),
    mrr: mean(({ message }) => message?.mrr ?? 0),
    empty: mean(({ empty }) => (empty ? 1 : 0)),
  };
}
