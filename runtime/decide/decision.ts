/** The result of deciding one `CheckInput`. */
import type { Range } from "../cel/ast.ts";
import type { Json } from "../cel/to-json.ts";
import type { JsonObject } from "../cel/value.ts";
import type { CheckInput, CheckOptions } from "./input.ts";
import type { ValidationError } from "./validation-error.ts";

export type { ValidationError } from "./validation-error.ts";

/** The effect of an action. */
export type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

/** The decision on one resource. */
export interface Decision {
  readonly requestId: string;
  readonly resourceId: string;
  /** One entry for each requested action, in request order. A Map, because action names come from the caller. */
  readonly actions: ReadonlyMap<string, ActionDecision>;
  /** Sorted, unique. */
  readonly effectiveDerivedRoles: readonly string[];
  /** In order of evaluation: by action, principal before resource policies, role, scope, rule. */
  readonly outputs: readonly Output[];
  /** Violations of the attributes' schemas; the principal's first. */
  readonly validationErrors: readonly ValidationError[];
  /** Unique, sorted by expression, then message; empty unless requested. */
  readonly evaluationErrors: readonly EvaluationError[];
  /** Key -> source attributes of every policy that took part (semantics 4.9); empty unless requested. */
  readonly effectivePolicies: ReadonlyMap<string, JsonObject>;
}

/** The decision on one action, and the policy that made it. */
export interface ActionDecision {
  readonly effect: Effect;
  /** The key of the deciding policy (`resource.expense.vdefault`), or `NO_MATCH`. */
  readonly matchedPolicy: string;
  /** The scope of the deciding policy; "" for the root scope or if nothing matched. */
  readonly matchedScope: string;
}

/** An output of a rule: a value, or the error instead. */
export interface Output {
  /** `<policy key>#<rule>`. */
  readonly src: string;
  readonly action: string;
  /** JSON, converted as semantics 4.7 and D40 say. */
  readonly val?: Json;
  readonly error?: string;
}

/** An expression that failed, and why. Audit entries contain `expression` and `message`. */
export interface EvaluationError {
  readonly expression: string;
  readonly message: string;
  /** The range of the failed sub-expression in the expression's text. */
  readonly part?: Range;
}

/** A schema that the attributes of an input must satisfy. */
export interface SchemaCheck {
  /** Index of the input. */
  readonly input: number;
  readonly source: ValidationError["source"];
  /** The schema reference as written in the policy. */
  readonly ref: string;
}

/** A loaded bundle. Decides a batch of inputs at one instant, with one policy set. */
export interface Evaluator {
  readonly check: (inputs: readonly CheckInput[], options: CheckOptions) => readonly Decision[];
  /** Whether the single action of an input is allowed. Faster than `check`, because it returns nothing else. */
  readonly allows: (input: CheckInput, options: CheckOptions) => boolean;
  /**
   * The schemas that the attributes of these inputs must satisfy: those that `check` will pass to
   * `options.schemas.validate`.
   */
  readonly schemaChecks: (inputs: readonly CheckInput[], options: CheckOptions) => readonly SchemaCheck[];
}
