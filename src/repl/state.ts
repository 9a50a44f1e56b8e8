/** The immutable state of a session between two entries; each answer returns the next one. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Type } from "../../runtime/cel/type.ts";
import type { Timestamp, Value } from "../../runtime/cel/value.ts";
import type { Json } from "../../runtime/cel/to-json.ts";
import type { CheckOptions } from "../../runtime/decide/input.ts";
import { noLoadedPolicies, type LoadedPolicies } from "./loaded-policies.ts";

/** A value with its type for the checker. */
export interface NamedValue {
  readonly value: Value;
  readonly type: Type;
}

/** A JSON object. */
export interface JsonMembers {
  readonly [name: string]: Json;
}

/** One resource of the request, with its actions. */
export interface RequestedResource {
  readonly resource: JsonMembers;
  readonly actions: readonly string[];
}

/** The current request, as JSON with validated fields. */
export interface RequestState {
  readonly principal: JsonMembers;
  /** At least one. */
  readonly resources: readonly RequestedResource[];
  /** The index of the one that is `R`. */
  readonly at: number;
  readonly auxData?: JsonMembers;
}

/** The settings of a server that decisions depend on, besides globals. */
export type EngineSettings = Pick<CheckOptions, "defaultPolicyVersion" | "defaultScope" | "lenientScopeSearch" | "strictEvaluation">;

/** The state of a session. */
export interface State {
  readonly request: RequestState;
  readonly engine: EngineSettings;
  readonly globals: ReadonlyMap<string, Value>;
  /** Overrides of V and C by `:let`, which take precedence over the policy in use. */
  readonly variables: ReadonlyMap<string, Value>;
  readonly constants: ReadonlyMap<string, Value>;
  /** Override of `runtime.effectiveDerivedRoles`. */
  readonly derivedRoles?: readonly string[];
  /** The names defined by `:let`, and `_`. */
  readonly names: ReadonlyMap<string, NamedValue>;
  readonly loaded: LoadedPolicies;
  /** The key of the policy in use. */
  readonly used?: string;
  /** The result of `now()`; absent: the current time. */
  readonly now?: Timestamp;
  /** The state that `:reset` restores; absent: this state. */
  readonly initial?: State;
}

/** A request without contents. */
const emptyRequest: RequestState = { principal: {}, resources: [{ resource: {}, actions: [] }], at: 0 };

/** The state of a new session. */
export const emptyState: State = {
  request: emptyRequest,
  engine: { defaultPolicyVersion: "default", defaultScope: "", lenientScopeSearch: false, strictEvaluation: false },
  globals: new Map(),
  variables: new Map(),
  constants: new Map(),
  names: new Map(),
  loaded: noLoadedPolicies,
};

/** An expression that has been checked. */
export interface CheckedExpression {
  readonly text: string;
  readonly tree: Expression;
  readonly type: Type;
  readonly types: ReadonlyMap<number, Type>;
}
