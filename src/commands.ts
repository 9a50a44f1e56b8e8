/** What the thread that answers asks of the thread that compiles, and what it is answered. Plain data: it crosses a thread. */

/** Something asked. */
export type Command =
  | { readonly kind: "list schemas" }
  /** Those that there are among these. */
  | { readonly kind: "get schemas"; readonly ids: readonly string[] }
  | { readonly kind: "put schemas"; readonly schemas: readonly SchemaText[] }
  | { readonly kind: "delete schemas"; readonly ids: readonly string[] }
  /** Each as the JSON text of a policy. */
  | { readonly kind: "put policies"; readonly policies: readonly string[] }
  /** It takes long, so it is not done where checks are answered. */
  | { readonly kind: "verify password"; readonly password: string; readonly hash: string };

/** A schema: its id, and its definition as JSON text. */
export interface SchemaText {
  readonly id: string;
  readonly text: string;
}

/** What comes back for each. */
export interface Answers {
  readonly "list schemas": readonly string[];
  readonly "get schemas": readonly SchemaText[];
  readonly "put schemas": Changed | Refused;
  readonly "delete schemas": Changed | Refused;
  readonly "put policies": Changed | Refused;
  readonly "verify password": boolean;
}

/** The store is changed, and the set in force with it. */
export interface Changed {
  readonly kind: "changed";
  /** How many policies or schemas. */
  readonly count: number;
}

/** Nothing is changed. */
export interface Refused {
  readonly kind: "refused";
  readonly because: /** What was asked is wrong. */
    | "invalid"
    /** Something else would break, or is broken. */
    | "precondition"
    | "read-only"
    /** The store could not do it. */
    | "store";
  readonly message: string;
  readonly problems: readonly Problem[];
}

/** One thing that is wrong with what was asked. */
export interface Problem {
  /** Where in the request: `policies[0].resourcePolicy.rules[1].roles`; "" when it is elsewhere. */
  readonly path: string;
  /** A diagnostic's code, or the name of a rule. */
  readonly code: string;
  /** Lower case, no full stop. */
  readonly message: string;
}

/** Refuses. */
export const refused = (because: Refused["because"], message: string, problems: readonly Problem[] = []): Refused => ({
  kind: "refused",
  because,
  message,
  problems,
});
