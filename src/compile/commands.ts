/** The commands that the main thread sends to the compile thread, and their answers. Plain data, because it is sent between threads. */

/** The most findings that are reported for one set. */
export const maxFindings = 20;

/** A command. */
export type Command =
  | { readonly kind: "list schemas" }
  /** Those of these ids that exist. */
  | { readonly kind: "get schemas"; readonly ids: readonly string[] }
  | { readonly kind: "put schemas"; readonly schemas: readonly SchemaText[] }
  | { readonly kind: "delete schemas"; readonly ids: readonly string[] }
  /** Each policy as JSON. */
  | { readonly kind: "put policies"; readonly policies: readonly string[] }
  | { readonly kind: "list policies"; readonly filter: PolicyFilter }
  /** Those of these ids that exist; an id is a policy's key or its path in the store. */
  | { readonly kind: "get policies"; readonly ids: readonly string[] }
  | { readonly kind: "inspect policies"; readonly filter: PolicyFilter }
  | { readonly kind: "enable policies"; readonly ids: readonly string[] }
  | { readonly kind: "disable policies"; readonly ids: readonly string[] }
  | { readonly kind: "delete policies"; readonly ids: readonly string[] }
  /** Reads the whole store again. */
  | { readonly kind: "reload" }
  /** Deletes old revisions, except the last ones of each policy. */
  | { readonly kind: "purge revisions"; readonly keepLast: number }
  /** Compares a password, which takes too long for the main thread. */
  | { readonly kind: "verify password"; readonly password: string; readonly hash: string };

/** A command about the store. To compare a password, nothing of it is needed. */
export type StoreCommand = Exclude<Command, { readonly kind: "verify password" }>;

/** A schema: its id, and its definition as JSON. */
export interface SchemaText {
  readonly id: string;
  readonly text: string;
}

/** Selects policies. Patterns are RE2's; an absent one matches all. */
export interface PolicyFilter {
  readonly includeDisabled: boolean;
  readonly name?: string;
  readonly scope?: string;
  readonly version?: string;
  /** Keys, or paths in the store; an empty list selects all. */
  readonly ids: readonly string[];
}

/** A policy: its id in the store, and its message as JSON, with metadata. */
export interface PolicyText {
  readonly id: string;
  readonly text: string;
}

/** The answer to each command. */
export interface Answers {
  readonly "list schemas": readonly string[] | Refused;
  readonly "get schemas": readonly SchemaText[] | Refused;
  readonly "put schemas": Changed | Refused;
  readonly "delete schemas": Changed | Refused;
  readonly "put policies": Changed | Refused;
  readonly "list policies": readonly string[] | Refused;
  readonly "get policies": readonly PolicyText[] | Refused;
  /** An InspectPoliciesResponse as JSON. */
  readonly "inspect policies": string | Refused;
  readonly "enable policies": Changed | Refused;
  readonly "disable policies": Changed | Refused;
  readonly "delete policies": Changed | Refused;
  readonly reload: Changed | Refused;
  readonly "purge revisions": Changed | Refused;
  readonly "verify password": boolean;
}

/** The change was written and is in force. */
export interface Changed {
  readonly kind: "changed";
  /** The number of policies or schemas that were changed. */
  readonly count: number;
}

/** Nothing was changed. */
export interface Refused {
  readonly kind: "refused";
  readonly because: /** The request is invalid. */
    | "invalid"
    /** Something else would become invalid, or is. */
    | "precondition"
    | "read-only"
    /** The store failed. */
    | "store"
    /** The store cannot be read because of somebody else, so that a retry may succeed. */
    | "unavailable";
  readonly message: string;
  /** A concurrent change interfered, so that a retry may succeed. */
  readonly isPassing?: true;
  readonly problems: readonly RequestProblem[];
  /** What would break, by the id of the policy that was to be removed. */
  readonly broken?: { readonly [id: string]: RemovalConflict };
}

/** Why a policy cannot be removed: others depend on it. */
export type RemovalConflict =
  | { readonly kind: "scope chain"; readonly descendants: readonly string[] }
  | { readonly kind: "required"; readonly dependents: readonly string[] };

/** One problem of a request. */
export interface RequestProblem {
  /** Its path in the request: `policies[0].resourcePolicy.rules[1].roles`; "" when it has none. */
  readonly path: string;
  /** The code of a diagnostic, or the name of a rule. */
  readonly code: string;
  /** Lower case, no full stop. */
  readonly message: string;
}

/** Returns a refusal. */
export const refused = (because: Refused["because"], message: string, problems: readonly RequestProblem[] = []): Refused => ({
  kind: "refused",
  because,
  message,
  problems,
});
