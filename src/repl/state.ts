/** What a session knows between two entries. Nothing changes it: each answer brings a state of its own. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { Type } from "../../runtime/cel/type.ts";
import type { Timestamp, Value } from "../../runtime/cel/value.ts";
import type { Json } from "../../runtime/cel/to-json.ts";
import { emptyShelf, type Shelf } from "./shelf.ts";

/** A value and what the checker is told about it. */
export interface Named {
  readonly value: Value;
  readonly type: Type;
}

/** An object of JSON, as a request carries it. */
export interface JsonMembers {
  readonly [name: string]: Json;
}

/** One resource of the request, and what is to be done to it. */
export interface RequestedResource {
  readonly resource: JsonMembers;
  readonly actions: readonly string[];
}

/** The request at hand, as JSON whose fields are known to be sound. */
export interface RequestState {
  readonly principal: JsonMembers;
  /** At least one. */
  readonly resources: readonly RequestedResource[];
  /** Which of them is `R`. */
  readonly at: number;
  readonly auxData?: JsonMembers;
}

/** The state of a session. */
export interface State {
  readonly request: RequestState;
  readonly globals: ReadonlyMap<string, Value>;
  /** What was put into V and C by hand; it comes before what the policy in use defines. */
  readonly variables: ReadonlyMap<string, Value>;
  readonly constants: ReadonlyMap<string, Value>;
  /** Put into `runtime.effectiveDerivedRoles` by hand. */
  readonly derivedRoles?: readonly string[];
  /** What `:let` named, and `_`. */
  readonly names: ReadonlyMap<string, Named>;
  readonly shelf: Shelf;
  /** Key of the policy whose names V and C hold. */
  readonly used?: string;
  /** What `now()` reports; absent, the time of day. */
  readonly now?: Timestamp;
  /** What `:reset` goes back to; absent, this state itself. */
  readonly beginning?: State;
}

/** A request without anything in it. */
const emptyRequest: RequestState = { principal: {}, resources: [{ resource: {}, actions: [] }], at: 0 };

/** A session without anything. */
export const emptyState: State = {
  request: emptyRequest,
  globals: new Map(),
  variables: new Map(),
  constants: new Map(),
  names: new Map(),
  shelf: emptyShelf,
};

/** An expression of an entry, checked. */
export interface Prepared {
  readonly text: string;
  readonly tree: Expression;
  readonly type: Type;
  readonly types: ReadonlyMap<number, Type>;
}
