/** A session without a terminal: lines in, text out. */
import { dirname } from "node:path";
import { maxWork } from "../../runtime/cel/work.ts";
import { noStyles } from "../../src/repl/styles.ts";
import { isInvalid, readRequestJson } from "../../src/repl/request.ts";
import { runLines } from "../../src/repl/run.ts";
import { emptyState, type State } from "../../src/repl/state.ts";
import { refusal } from "../../src/refusal.ts";
import type { SessionHost } from "../../src/repl/answer.ts";

/** 2026-01-31T12:00:00Z. */
const noon = 1_769_860_800_000;

/** What a session has written. */
export interface SessionOutput {
  /** What came out on each of the two ends. */
  readonly out: string;
  readonly err: string;
  readonly isGood: boolean;
}

/** What a session starts from. */
export interface SessionSetup {
  readonly request?: unknown;
  /** Policy files by path; a folder is every file whose path begins with it. */
  readonly files?: { readonly [path: string]: string };
  /** As at a terminal so wide; else as in a pipe. */
  readonly width?: number;
  readonly output?: "text" | "json";
  readonly maxWork?: number;
  readonly state?: Partial<State>;
}

/** The state in which a session over a request begins. */
export function stateOf({ request, state = {} }: SessionSetup): State {
  const read = request === undefined ? emptyState : readRequestJson(JSON.parse(JSON.stringify(request)));
  if (isInvalid(read)) throw new Error(read.message);
  const { request: first, now } = "notes" in read ? read : { request: read.request, now: undefined };
  const initial: State = { ...emptyState, request: first, ...(now !== undefined && { now }), ...state };
  return { ...initial, initial };
}

/** Answers the lines of a text. */
export async function runSession(text: string, setup: SessionSetup = {}): Promise<SessionOutput> {
  let [out, err] = ["", ""];
  const { files = {} } = setup;
  const host: SessionHost = {
    now: () => noon,
    styles: noStyles,
    maxWork: setup.maxWork ?? maxWork,
    width: setup.width,
    readPolicies: async (path) => {
      const found = Object.entries(files).filter(([name]) => name === path || name.startsWith(`${path}/`));
      if (found.length === 0) throw refusal(`\`${path}\` does not exist`);
      const policies = found.map(([name, text]) => ({ path: name, text }));
      return { policies, schemas: new Map(), ...(path in files && { folder: dirname(path) }) };
    },
  };
  const isGood = await runLines(text.split("\n"), "<stdin>", stateOf(setup), {
    host,
    output: setup.output ?? "text",
    out: (said) => void (out += said),
    err: (said) => void (err += said),
  });
  return { out, err, isGood };
}

/** The sample request: an expense report of Sam's, and Maria who asks. */
export const expenseRequest = {
  principal: { id: "maria", roles: ["manager"], attr: { team: "design" } },
  resources: [
    {
      actions: ["approve"],
      resource: { kind: "expense", id: "e-1", attr: { owner: "sam", team: "design", amount: 250, tags: ["a", "b"] } },
    },
    { actions: ["view"], resource: { kind: "expense", id: "e-2", attr: { owner: "maria" } } },
  ],
} as const;

/** A policy about expense reports, and the derived roles that it imports. */
export const expenseFiles = {
  "policies/expense.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: expense
  version: default
  importDerivedRoles: [expense_roles]
  constants: { local: { limit: 1000, unused: [1] } }
  variables:
    local:
      isOwner: R.attr.owner == P.id
      isSmall: R.attr.amount < C.limit
      isMineAndSmall: V.isOwner && V.isSmall
  rules:
    - name: small
      actions: [approve]
      effect: EFFECT_ALLOW
      roles: [manager]
      condition:
        match:
          all:
            of:
              - expr: V.isSmall
              - expr: R.attr.team == P.attr.team
    - name: never-own
      actions: [approve]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: { match: { expr: V.isOwner } }
    - actions: [view]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
`,
  "policies/roles.yaml": `apiVersion: api.authz.dev/v1
derivedRoles:
  name: expense_roles
  definitions:
    - name: owner
      parentRoles: [manager]
      condition: { match: { expr: R.attr.owner == P.id } }
`,
};
