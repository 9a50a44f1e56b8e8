/** The answer to one `CheckInput`. */
import type { Range } from "../cel/ast.ts";
import type { Json } from "../cel/to-json.ts";
import type { JsonObject } from "../cel/value.ts";
import type { CheckInput, CheckOptions } from "./input.ts";
import type { ValidationError } from "./validation-error.ts";

export type { ValidationError } from "./validation-error.ts";

/** What is answered. */
export type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

/** The answer for one resource. */
export interface Decision {
  readonly requestId: string;
  readonly resourceId: string;
  /** One entry per requested action, in request order. A Map: action names are the caller's words. */
  readonly actions: ReadonlyMap<string, ActionDecision>;
  /** Sorted, unique. */
  readonly effectiveDerivedRoles: readonly string[];
  /** In the order in which rules were met: action, principal before resource policies, role, scope, rule. */
  readonly outputs: readonly Output[];
  /** What the attributes' schemas found wrong; principal's first. */
  readonly validationErrors: readonly ValidationError[];
  /** Unique, sorted by expression then message; empty unless asked for. */
  readonly evaluationErrors: readonly EvaluationError[];
  /** Key -> source attributes of every policy that had a say (semantics 4.9); empty unless asked for. */
  readonly effectivePolicies: ReadonlyMap<string, JsonObject>;
}

/** The answer for one action, and who decided. */
export interface ActionDecision {
  readonly effect: Effect;
  /** The policy key that decided (`resource.expense.vdefault`), or `NO_MATCH`. */
  readonly matchedPolicy: string;
  /** The scope that decided; "" for the root scope or when nothing matched. */
  readonly matchedScope: string;
}

/** What a rule tells the caller besides: a value, or why there is none. */
export interface Output {
  /** `<policy key>#<rule>`. */
  readonly src: string;
  readonly action: string;
  /** JSON, as semantics 4.7 and D40 convert values. */
  readonly val?: Json;
  readonly error?: string;
}

/** An expression that failed, and why. What audit entries show of it is `expression` and `message`. */
export interface EvaluationError {
  readonly expression: string;
  readonly message: string;
  /** Where in the expression the sub-expression stands that failed. */
  readonly part?: Range;
}

/** Attributes of one input, and the schema that they must satisfy. */
export interface SchemaCheck {
  /** Index of the input. */
  readonly input: number;
  readonly source: ValidationError["source"];
  /** As the policy writes it. */
  readonly ref: string;
}

/** A loaded bundle: answers a batch of inputs with one instant and one policy set. */
export interface Evaluator {
  readonly check: (inputs: readonly CheckInput[], options: CheckOptions) => readonly Decision[];
  /** Whether `check` allows the action of an input that asks about one: sooner, because nothing else is told. */
  readonly allows: (input: CheckInput, options: CheckOptions) => boolean;
  /** The schemas that the attributes of these inputs must satisfy: what `options.schemas.validate` will be asked. */
  readonly schemaChecks: (inputs: readonly CheckInput[], options: CheckOptions) => readonly SchemaCheck[];
}
