/** Counts the turns of all loops of one evaluation (D46), as generated code takes them: most turns are one decrement. */
import { mostSteps } from "./most-steps.ts";
import { light, type Weight } from "./weight.ts";
import { paidBy, payForTurns, type Payer, returnTurns } from "./work.ts";

/** What is thrown when an evaluation takes too many turns: it ends as an error, whatever stands around the loop. */
export const tooManySteps: unique symbol = Symbol("too many steps");

/** The turns of the evaluation that is under way. One within another (a variable's) has a count of its own. */
export class Steps implements Payer {
  /** Turns that are paid for and not taken yet. */
  declare private ready: number;
  /** Turns of this evaluation that were paid for. */
  declare private granted: number;
  /** What each turn weighs: as much as that of the heaviest loop there is. */
  declare private readonly weight: Weight;

  constructor(weight: Weight = light) {
    this.ready = 0;
    this.granted = 0;
    this.weight = weight;
  }

  /** Takes one turn. */
  step(): void {
    if (this.ready > 0) this.ready--;
    else this.grant();
  }

  private grant(): void {
    const left = mostSteps() - this.granted;
    if (left <= 0) throw tooManySteps;
    const paid = this.pay(left);
    paidBy(this);
    this.granted += paid;
    this.ready = paid - 1;
  }

  /** Pays for some turns at once, at least one and at most so many; answers how many. */
  protected pay(most: number): number {
    return payForTurns(most, this.weight);
  }

  /** Starts all over, with some turns that nobody has to pay for. */
  protected restart(free: number): void {
    this.ready = free;
    this.granted = free;
  }

  /** Starts a count; answers what the evaluation around it has taken so far, which `end` wants back. */
  begin(): number {
    const taken = this.settle();
    this.granted = 0;
    return taken;
  }

  /** Goes on with the count of the evaluation around. */
  end(taken: number): void {
    this.settle();
    this.granted = taken;
  }

  /** Gives back what was paid for and not taken; answers what was taken. */
  settle(): number {
    if (this.ready > 0) {
      returnTurns(this.ready, this.weight);
      this.granted -= this.ready;
      this.ready = 0;
    }
    return this.granted;
  }
}
