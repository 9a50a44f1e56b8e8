/** What the thread that answers asks of the thread that compiles, and what it is answered. Plain data: it crosses a thread. */

/** Findings that are told of one set; who broke more than this will look at the first ones anyway. */
export const mostFindings = 20;

/** Something asked. */
export type Command =
  | { readonly kind: "list schemas" }
  /** Those that there are among these. */
  | { readonly kind: "get schemas"; readonly ids: readonly string[] }
  | { readonly kind: "put schemas"; readonly schemas: readonly SchemaText[] }
  | { readonly kind: "delete schemas"; readonly ids: readonly string[] }
  /** Each as the JSON text of a policy. */
  | { readonly kind: "put policies"; readonly policies: readonly string[] }
  | { readonly kind: "list policies"; readonly filter: PolicyFilter }
  /** Those that there are among these; an id is a policy's key or its path in the store. */
  | { readonly kind: "get policies"; readonly ids: readonly string[] }
  | { readonly kind: "inspect policies"; readonly filter: PolicyFilter }
  | { readonly kind: "enable policies"; readonly ids: readonly string[] }
  | { readonly kind: "disable policies"; readonly ids: readonly string[] }
  | { readonly kind: "delete policies"; readonly ids: readonly string[] }
  /** Looks at the whole store again. */
  | { readonly kind: "reload" }
  /** Forgets old revisions of policies but for the last ones of each. */
  | { readonly kind: "purge revisions"; readonly keepLast: number }
  /** It takes long, so it is not done where checks are answered. */
  | { readonly kind: "verify password"; readonly password: string; readonly hash: string };

/** A schema: its id, and its definition as JSON text. */
export interface SchemaText {
  readonly id: string;
  readonly text: string;
}

/** Which policies are meant. Patterns are RE2's; absent: all. */
export interface PolicyFilter {
  readonly includeDisabled: boolean;
  readonly name?: string;
  readonly scope?: string;
  readonly version?: string;
  /** Keys, or paths in the store; none: all. */
  readonly ids: readonly string[];
}

/** A policy: what the store calls it, and its message as JSON text, with its metadata. */
export interface PolicyText {
  readonly id: string;
  readonly text: string;
}

/** What comes back for each. */
export interface Answers {
  readonly "list schemas": readonly string[] | Refused;
  readonly "get schemas": readonly SchemaText[] | Refused;
  readonly "put schemas": Changed | Refused;
  readonly "delete schemas": Changed | Refused;
  readonly "put policies": Changed | Refused;
  readonly "list policies": readonly string[] | Refused;
  readonly "get policies": readonly PolicyText[] | Refused;
  /** JSON text of an InspectPoliciesResponse. */
  readonly "inspect policies": string | Refused;
  readonly "enable policies": Changed | Refused;
  readonly "disable policies": Changed | Refused;
  readonly "delete policies": Changed | Refused;
  readonly reload: Changed | Refused;
  readonly "purge revisions": Changed | Refused;
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
    | "store"
    /** Somebody else keeps the store from being read: whoever asks again may be answered. */
    | "unavailable";
  readonly message: string;
  /** Somebody else was changing the store: whoever asks again may succeed. */
  readonly isPassing?: true;
  readonly problems: readonly Problem[];
  /** What else would break, by the id of the policy that was to go. */
  readonly broken?: { readonly [id: string]: Broken };
}

/** Why a policy cannot go: others hang on it. */
export type Broken =
  | { readonly kind: "scope chain"; readonly descendants: readonly string[] }
  | { readonly kind: "required"; readonly dependents: readonly string[] };

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
