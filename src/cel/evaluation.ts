/** The state of one evaluation, as generated code uses it: the instant, the number of loop iterations, and the account of work. */
import type { EvaluationContext } from "../../runtime/cel/declare.ts";
import { Steps } from "../../runtime/cel/steps.ts";
import { type Budget, swapBudget, maxWork, setStepPrice } from "../../runtime/cel/work.ts";
import { longestStringIn } from "./longest-string.ts";
import { epoch } from "./instant.ts";

/** The number of iterations that are not counted, because most loops have no more. */
const freeTurns = 64;

const nothing: object = Object.freeze({});

/** The evaluations of one program, one at a time: the object is reused, because creating one would cost more than most evaluations. */
export class Evaluation extends Steps implements Budget {
  context: EvaluationContext = epoch;
  /** The work that is left, while the account is not in force. */
  left = maxWork;
  stepPrice = 1;
  private variables: object = nothing;
  private hasAccount = false;
  private isPriced = false;

  /** Starts an evaluation whose only cost is its loops: the account is opened when they turn out to be long. */
  open(variables: object, context: EvaluationContext = epoch): Evaluation {
    if (typeof variables !== "object" || variables === null) refuse();
    if (this.hasAccount) return new Evaluation().open(variables, context);
    this.variables = variables;
    this.context = context;
    this.isPriced = false;
    this.restart(freeTurns);
    return this;
  }

  /** Starts an evaluation with its account open. A nested evaluation gets an object of its own. */
  openOnAccount(variables: object, context: EvaluationContext = epoch): Evaluation {
    const opened = this.open(variables, context);
    opened.putInForce();
    return opened;
  }

  /** Ends the evaluation and drops all references. */
  close(): void {
    this.variables = nothing;
    if (!this.hasAccount) return;
    swapBudget(this);
    this.hasAccount = false;
  }

  private putInForce(): void {
    this.left = maxWork;
    this.stepPrice = 1;
    this.hasAccount = true;
    swapBudget(this);
  }

  /** Sets the price of an iteration of a long loop: it may compare the two longest strings among the variables. */
  protected override pay(most: number): number {
    if (!this.hasAccount) this.putInForce();
    if (!this.isPriced) {
      setStepPrice(longestStringIn(this.variables));
      this.isPriced = true;
    }
    return super.pay(most);
  }
}

/** Throws when a caller passes something other than variables. */
export function refuse(): never {
  throw new TypeError("the variables must be a plain object");
}
