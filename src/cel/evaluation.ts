/** The context of one evaluation, as generated code sees it: the instant, how many turns its loops have taken, and its account of work. */
import type { EvaluationContext } from "../../runtime/cel/declare.ts";
import { Steps } from "../../runtime/cel/steps.ts";
import { type Account, exchange, mostWork, priceTurns } from "../../runtime/cel/work.ts";
import { longestTextIn } from "./longest-text.ts";
import { epoch } from "./instant.ts";

/** Turns that are too little work to be counted: most loops take no more. */
const freeTurns = 64;

const nothing: object = Object.freeze({});

/** The evaluations of one program, one at a time: making an object for each would cost more than most of them do. */
export class Evaluation extends Steps implements Account {
  context: EvaluationContext = epoch;
  /** The account, while it is not in force. */
  left = mostWork;
  turn = 1;
  private variables: object = nothing;
  private hasAccount = false;
  private isPriced = false;

  /** Starts an evaluation that costs little but for its loops: its account is opened when they turn out to be long. */
  open(variables: object, context: EvaluationContext = epoch): Evaluation {
    if (typeof variables !== "object" || variables === null) refuse();
    if (this.hasAccount) return new Evaluation().open(variables, context);
    this.variables = variables;
    this.context = context;
    this.isPriced = false;
    this.restart(freeTurns);
    return this;
  }

  /** Starts an evaluation on an account. One within another gets an object of its own. */
  openOnAccount(variables: object, context: EvaluationContext = epoch): Evaluation {
    const opened = this.open(variables, context);
    opened.putInForce();
    return opened;
  }

  /** Ends the evaluation: nothing of it is kept. */
  close(): void {
    this.variables = nothing;
    if (!this.hasAccount) return;
    exchange(this);
    this.hasAccount = false;
  }

  private putInForce(): void {
    this.left = mostWork;
    this.turn = 1;
    this.hasAccount = true;
    exchange(this);
  }

  /** A turn of a long loop may compare two texts as long as the longest there is. */
  protected override pay(most: number): number {
    if (!this.hasAccount) this.putInForce();
    if (!this.isPriced) {
      priceTurns(longestTextIn(this.variables));
      this.isPriced = true;
    }
    return super.pay(most);
  }
}

/** Throws at a caller who gave something else than variables. */
export function refuse(): never {
  throw new TypeError("the variables must be a plain object");
}
