/** The differences from the reference 0.51.0 that are meant to be: each row tells from store and request alone where it may be met. */
import { matchesGlob } from "../../runtime/decide/glob.ts";
import type { Difference } from "./compare.ts";
import { sanitise } from "../../compiler/policy/names.ts";
import { notNumbers, unconvertible } from "./expressions.ts";
import {
  anyText,
  readsWhatIsNotThere,
  textsOfOutput,
  read,
  actionOf,
  anyRule,
  only,
  ofSource,
  sameWalk,
  isRoleRule,
  sharesResult,
  readsKindOtherwise,
  isNarrow,
  hasConflict,
  lacksAncestor,
  globCharacters,
} from "./predicates.ts";
import { type Case, chainOf, matchesPattern, reach, type Reached, rolesOf, scopeOf, versionOf } from "./reach.ts";
import type { Request, Store } from "./store.ts";

/** A row of the table. */
export interface Row {
  readonly name: string;
  /** The decision, or the row of semantics section 11. */
  readonly because: string;
  /** Whether a difference of one input may come of it; for one about an action, `reached` is what that action can reach. */
  /** Also what is said of schemas, which otherwise no rule of a policy has a part in. */
  readonly explainsValidation?: true;
  readonly explains?: (difference: Difference, asked: Case, reached: readonly Reached[]) => boolean;
  /** Whether it may be that one of the two does not take the store. */
  readonly refuses?: (store: Store, by: "ours" | "theirs") => boolean;
}

const head = (topic: string): string => `D44: semantics section 11, ${topic}`;

export const rows: readonly Row[] = [
  {
    name: "role wildcards",
    because: head("role wildcards in rules"),
    explains: anyRule(({ type, rolePatterns }, asked) => {
      const roles = rolesOf(asked);
      return type === "resource" && rolePatterns.some((pattern) => pattern !== "*" && pattern.includes("*") && !roles.includes(pattern));
    }),
  },
  {
    name: "allowActions without a star",
    because: head("allowActions without *"),
    explains: (difference, _, reached) =>
      reached.some(({ type, actionPatterns, kindPattern }) => {
        const action = actionOf(difference);
        if (type !== "role" || kindPattern === "") return false;
        const odd = actionPatterns.filter((pattern) => globCharacters.test(pattern) && !pattern.includes("*"));
        return action === undefined ? odd.length > 0 : odd.some((pattern) => matchesGlob(pattern, action) && pattern !== action);
      }),
  },
  {
    name: "outputs of role rules",
    because: head("role rule name, output"),
    explains: only(
      ["output"],
      (difference, _, reached) =>
        difference.aspect === "output" &&
        difference.only === "ours" &&
        ofSource(difference, reached).some(({ type, rule }) => type === "role" && rule.output !== undefined),
    ),
  },
  {
    name: "narrow role policy",
    because: head("role-policy implicit deny"),
    explains: anyRule((rule, asked) => isNarrow(asked, rule)),
  },
  {
    name: "outputs before a deny",
    because: head("rule/row order"),
    explains: only(["output"], (difference, _, reached) =>
      ofSource(difference, reached).some((told) => reached.some((other) => other.denies && sameWalk(told, other))),
    ),
  },
  {
    name: "which deny comes first",
    because: head("rule/row order"),
    explains: only(["policy"], (_, __, reached) =>
      reached.some(
        (one) => one.type === "role" && reached.some((other) => other.denies && sameWalk(one, other) && other.policyKey !== one.policyKey),
      ),
    ),
  },
  {
    name: "action spelled as a pattern",
    because:
      "semantics 4.2: a pattern without * is plain text; in 0.51 it is a glob for all actions of an input that asks for one spelled like it",
    explains: (difference, { store, entry }, reached) => {
      const action = actionOf(difference);
      const inRoles = reached.some(({ type }) => type === "role");
      return entry.actions
        .filter((asked) => asked !== action && (asked.includes("*") ? inRoles : globCharacters.test(asked)))
        .filter((asked) => asked.includes("*") || JSON.stringify(store.files).includes(JSON.stringify(asked)))
        .some((asked) => action === undefined || matchesGlob(asked, action));
    },
  },
  {
    name: "empty output",
    because: head("empty output block"),
    refuses: (store, by) =>
      by === "ours" &&
      store.files.some(({ policy: { resourcePolicy, principalPolicy, rolePolicy } }) =>
        [
          ...(resourcePolicy?.rules ?? []),
          ...(principalPolicy?.rules ?? []).flatMap(({ actions }) => actions),
          ...(rolePolicy?.rules ?? []),
        ].some(({ output }) => output !== undefined && textsOfOutput(output).length === 0),
      ),
  },
  {
    name: "missing global",
    because: head("missing global / unset variable"),
    explains: anyText((text) => text.includes("G.nowhere")),
  },
  {
    name: "unset variable",
    because: head("missing global / unset variable"),
    explains: (difference, asked, reached) =>
      anyText((text) => readsWhatIsNotThere(asked, text.replaceAll("has(R.attr.unsure)", "")))(difference, asked, reached),
  },
  {
    name: "merge",
    because: head("YAML merge"),
    // The merged rule has there also the actions and roles of the first: it need not be reached by what it says.
    explains: (_, asked) =>
      asked.store.files.some(
        ({ style, policy: { resourcePolicy: policy } }) =>
          style === "merge" &&
          policy !== undefined &&
          sanitise(policy.resource) === sanitise(asked.entry.resource.kind) &&
          policy.version === versionOf(asked, asked.entry.resource) &&
          chainOf(asked, asked.entry.resource).includes(policy.scope ?? ""),
      ),
    // Lists are joined there, and may then hold the same twice.
    refuses: ({ files }, by) => by === "theirs" && files.some(({ style }) => style === "merge"),
  },
  {
    name: "rules of equal names",
    because: "D30",
    // Which of the two was asked first, perhaps for another action, decides for both.
    explains: (_, asked, reached) => {
      const all = asked.entry.actions.flatMap((action) => reach(asked, action)).filter(({ type }) => type !== "role");
      return reached.some((rule) => rule.type !== "role" && all.some((other) => other.src === rule.src && other.rule !== rule.rule));
    },
  },
  {
    name: "output of a rule whose derived role is inactive",
    because: "D31",
    explains: only(
      ["output"],
      (difference, _, reached) =>
        difference.aspect === "output" &&
        difference.only === "theirs" &&
        ofSource(difference, reached).some(({ derivedRoles, rule }) => derivedRoles.length > 0 && rule.output !== undefined),
    ),
  },
  {
    name: "derived roles in a principal policy",
    because: "D32",
    explains: anyRule((rule, { store }) => rule.type === "principal" && /\bruntime\b/.test(read(store, rule))),
  },
  {
    name: "derived roles of another scope",
    because: "semantics 4.6: the list is that of the current scope; 0.51 shows a scope that is visited again the list of the last new one",
    explains: anyRule(
      (rule, asked) =>
        rule.type !== "principal" &&
        chainOf(asked, asked.entry.resource).length > 1 &&
        asked.principal.roles.length + asked.entry.actions.length > 2 &&
        /\bruntime\b/.test(read(asked.store, rule)),
    ),
  },
  {
    name: "version of the principal",
    because: "D33",
    explains: anyRule(
      ({ type }, asked) => type === "principal" && versionOf(asked, asked.principal) !== versionOf(asked, asked.entry.resource),
    ),
  },
  {
    name: "patterns of kinds",
    because: "D34",
    explains: (difference, asked, reached) => {
      const { kind } = asked.entry.resource;
      if (reached.some(({ type, kindPattern }) => readsKindOtherwise(type, kindPattern, kind))) return true;
      // Whether there is a policy for the kind at all does not ask for the role.
      return (
        difference.aspect === "policy" &&
        [difference.ours, difference.theirs].includes("NO_MATCH") &&
        asked.store.files.some(({ policy }) => policy.rolePolicy?.rules.some(({ resource }) => readsKindOtherwise("role", resource, kind)))
      );
    },
  },
  {
    name: "scope permissions that differ",
    because: "D35",
    refuses: (store, by) => hasConflict(store, by),
  },
  {
    name: "overlapping role rules",
    because: "D36",
    // Which of the two was asked first, perhaps for another action, decides for both.
    explains: (_, asked, reached) => {
      const all = asked.entry.actions.flatMap((action) => reach(asked, action));
      return reached.some((rule) => isRoleRule(rule) && all.some((other) => isRoleRule(other) && sharesResult(rule, other)));
    },
  },
  {
    name: "parents of a role in two versions",
    because: "D42: parents are those of the role at a scope, whatever the version; in 0.51 the version loaded last replaces the others",
    explains: (_, asked) => {
      const at = scopeOf(asked, asked.entry.resource);
      const held = rolesOf(asked);
      const said = asked.store.files.flatMap(({ policy: { rolePolicy } }) =>
        rolePolicy !== undefined && (rolePolicy.scope ?? "") === at && held.includes(rolePolicy.role) ? [rolePolicy] : [],
      );
      return said.some((one) =>
        said.some((other) => one.role === other.role && JSON.stringify(one.parentRoles ?? []) !== JSON.stringify(other.parentRoles ?? [])),
      );
    },
  },
  {
    name: "overlapping allowed actions",
    because: "D36: in 0.51 a pattern also allows what another rule's pattern allows, when it matches that pattern as a text",
    explains: (difference, asked, reached) => {
      const action = actionOf(difference);
      return reached.some(({ type, file }) => {
        const rules = type === "role" ? (file.policy.rolePolicy?.rules ?? []) : [];
        const patterns = rules.flatMap(({ allowActions }) => allowActions);
        return (action === undefined ? asked.entry.actions : [action]).some((each) =>
          patterns.some((own, index) =>
            matchesPattern(own, each)
              ? // The later rule replaces the earlier where the pattern is the same, and is none that matches itself.
                patterns.includes(own, index + 1) && !matchesPattern(own, own)
              : patterns.some((other) => matchesPattern(other, each) && matchesPattern(own, other)),
          ),
        );
      });
    },
  },
  {
    name: "descendant of a missing ancestor",
    because: "D37",
    explainsValidation: true,
    explains: (_, asked) => lacksAncestor(asked),
  },
  {
    name: "file that nobody imports",
    because: "D38",
    refuses: (store, by) =>
      by === "ours" &&
      store.files.some(({ policy }) => [policy.exportVariables, policy.derivedRoles].some((each) => each?.name === "unused")),
  },
  {
    name: "not a number in an output",
    because: "D40",
    explains: only(["request"], (_, asked) =>
      asked.entry.actions.some((action) =>
        reach(asked, action).some(({ rule }) => textsOfOutput(rule.output).some((text) => notNumbers.includes(text))),
      ),
    ),
  },
  {
    name: "output that is no JSON",
    because: head("output error"),
    explains: only(["output"], (difference, _, reached) =>
      ofSource(difference, reached).some(({ rule }) => textsOfOutput(rule.output).some((text) => unconvertible.includes(text))),
    ),
  },
];

/** The row that explains a difference; undefined when none does. */
export function explain(difference: Difference, store: Store, { principal, resources }: Request): Row | undefined {
  const entries = "entry" in difference ? resources.slice(difference.entry, difference.entry + 1) : resources;
  for (const entry of entries) {
    const asked: Case = { store, principal, entry };
    const action = actionOf(difference);
    const reached = (action === undefined ? entry.actions : [action]).flatMap((each) => reach(asked, each));
    const row = rows.find(
      ({ explains, explainsValidation = false }) =>
        (difference.aspect !== "validation" || explainsValidation) && explains?.(difference, asked, reached) === true,
    );
    if (row !== undefined) return row;
  }
  return undefined;
}
