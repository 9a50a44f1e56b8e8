/** Reads two answers to one request, and lists what they do not say alike. */
import type { Reply } from "./server.ts";
import type { Json, Request } from "./store.ts";

/** What the two may differ in. */
export type Difference =
  | { readonly aspect: "request"; readonly ours: string; readonly theirs: string }
  | {
      readonly aspect: "effect" | "policy" | "scope";
      readonly entry: number;
      readonly action: string;
      readonly ours: string;
      readonly theirs: string;
    }
  | { readonly aspect: "derived roles"; readonly entry: number; readonly role: string; readonly only: "ours" | "theirs" }
  | { readonly aspect: "validation"; readonly entry: number; readonly violation: string; readonly only: "ours" | "theirs" }
  | {
      readonly aspect: "output";
      readonly entry: number;
      readonly action: string;
      readonly src: string;
      readonly val: string;
      readonly only: "ours" | "theirs";
    };

/** One answer, as far as it is compared. */
interface Answer {
  readonly actions: ReadonlyMap<string, { readonly effect: string; readonly policy: string; readonly scope: string }>;
  readonly derivedRoles: readonly string[];
  /** Whose attribute violates its schema, each once (D51): the sentences are ours, and several may be about one place. */
  readonly violations: readonly string[];
  readonly outputs: readonly { readonly src: string; readonly action: string; readonly val: string }[];
}

const objectOf = (value: Json | undefined): { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !isList(value) ? value : {};
const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const listOf = (value: Json | undefined): readonly Json[] => (value !== undefined && isList(value) ? value : []);
const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** JSON with keys in order, so that equal values are equal texts. */
export const canonical = (value: Json): string =>
  JSON.stringify(value, (_, part: Json) =>
    typeof part === "object" && part !== null && !isList(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** What one answer says of each resource, in the order of the request. */
export const answersOf = (body: Json): readonly Answer[] =>
  listOf(objectOf(body)["results"]).map((result) => {
    const { actions, meta, outputs, validationErrors } = objectOf(result);
    const about = objectOf(objectOf(meta)["actions"]);
    return {
      actions: new Map(
        Object.entries(objectOf(actions)).map(([action, effect]) => {
          const { matchedPolicy, matchedScope } = objectOf(about[action]);
          return [action, { effect: textOf(effect), policy: textOf(matchedPolicy), scope: textOf(matchedScope) }];
        }),
      ),
      derivedRoles: listOf(objectOf(meta)["effectiveDerivedRoles"]).map(textOf),
      violations: [
        ...new Set(
          listOf(validationErrors).map((error) => {
            const { source, path } = objectOf(error);
            return `${textOf(source)} ${textOf(path)}`;
          }),
        ),
      ],
      outputs: listOf(outputs).map((output) => {
        const { src, action, val } = objectOf(output);
        return { src: textOf(src), action: textOf(action), val: val === undefined ? "" : canonical(val) };
      }),
    };
  });

/** Everything in which the two answers to a request differ. */
export function compare(request: Request, ours: Reply, theirs: Reply): readonly Difference[] {
  if (ours.status !== 200 || theirs.status !== 200) {
    const [a, b] = [ours, theirs].map(({ status, body }) => `${status} ${JSON.stringify(body).slice(0, 400)}`);
    return ours.status === theirs.status ? [] : [{ aspect: "request", ours: a ?? "", theirs: b ?? "" }];
  }
  const [ourAnswers, theirAnswers] = [answersOf(ours.body), answersOf(theirs.body)];
  return request.resources.flatMap((_, entry): readonly Difference[] => {
    const [a, b] = [ourAnswers[entry], theirAnswers[entry]];
    if (a === undefined || b === undefined)
      return [{ aspect: "request", ours: `${ourAnswers.length} results`, theirs: `${theirAnswers.length} results` }];
    return [
      ...compareActions(entry, a, b),
      ...compareRoles(entry, a, b),
      ...compareViolations(entry, a, b),
      ...compareOutputs(entry, a, b),
    ];
  });
}

const compareActions = (entry: number, ours: Answer, theirs: Answer): readonly Difference[] =>
  [...new Set([...ours.actions.keys(), ...theirs.actions.keys()])].flatMap((action) => {
    const [a, b] = [ours.actions.get(action), theirs.actions.get(action)];
    return (["effect", "policy", "scope"] as const).flatMap((aspect): readonly Difference[] => {
      const [said, other] = [a?.[aspect] ?? "nothing", b?.[aspect] ?? "nothing"];
      return said === other ? [] : [{ aspect, entry, action, ours: said, theirs: other }];
    });
  });

const missing = (from: readonly string[], of: readonly string[]): readonly string[] => from.filter((each) => !of.includes(each));

function compareRoles(entry: number, ours: Answer, theirs: Answer): readonly Difference[] {
  return [
    ...missing(ours.derivedRoles, theirs.derivedRoles).map((role) => ({ aspect: "derived roles", entry, role, only: "ours" }) as const),
    ...missing(theirs.derivedRoles, ours.derivedRoles).map((role) => ({ aspect: "derived roles", entry, role, only: "theirs" }) as const),
  ];
}

function compareViolations(entry: number, { violations: ours }: Answer, { violations: theirs }: Answer): readonly Difference[] {
  return [
    ...missing(ours, theirs).map((violation) => ({ aspect: "validation", entry, violation, only: "ours" }) as const),
    ...missing(theirs, ours).map((violation) => ({ aspect: "validation", entry, violation, only: "theirs" }) as const),
  ];
}

/** As multisets: an entry that one side has twice and the other once is a difference. */
function compareOutputs(entry: number, ours: Answer, theirs: Answer): readonly Difference[] {
  const left = new Map<string, number>();
  const count = ({ src, action, val }: Answer["outputs"][number], by: number): void => {
    const key = JSON.stringify([action, src, val]);
    left.set(key, (left.get(key) ?? 0) + by);
  };
  for (const output of ours.outputs) count(output, 1);
  for (const output of theirs.outputs) count(output, -1);
  return [...left].flatMap(([key, times]): readonly Difference[] => {
    if (times === 0) return [];
    // A true edge: the key was made of three texts above.
    const [action, src, val] = JSON.parse(key) as [string, string, string];
    return Array.from({ length: Math.abs(times) }, () => ({
      aspect: "output" as const,
      entry,
      action,
      src,
      val,
      only: times > 0 ? ("ours" as const) : ("theirs" as const),
    }));
  });
}
