/**
 * Counts the loop steps of one evaluation for generated code (D46). Work is paid for many steps at once, so most
 * steps are a single decrement.
 */
import { stepLimit } from "./step-limit.ts";
import { lightWeight, type Weight } from "./weight.ts";
import { paidBy, payForSteps, type PrepaidCounter, refundSteps } from "./work.ts";

/**
 * Thrown when an evaluation exceeds the step limit. The evaluation then ends as an error, even if the loop is inside
 * `||`.
 */
export const tooManySteps: unique symbol = Symbol("too many steps");

/** The loop steps of the current evaluation. A nested evaluation, such as that of a variable, is counted separately. */
export class Steps implements PrepaidCounter {
  /** Steps that are paid for but not taken yet. */
  declare private ready: number;
  /** Steps paid for in this evaluation. */
  declare private granted: number;
  /** The cost of one step: that of the heaviest loop in the unit. */
  declare private readonly weight: Weight;

  constructor(weight: Weight = lightWeight) {
    this.ready = 0;
    this.granted = 0;
    this.weight = weight;
  }

  /** Takes one step. Throws `tooManySteps` or `tooMuchWork`. */
  step(): void {
    if (this.ready > 0) this.ready--;
    else this.grant();
  }

  private grant(): void {
    const left = stepLimit() - this.granted;
    if (left <= 0) throw tooManySteps;
    const paid = this.pay(left);
    paidBy(this);
    this.granted += paid;
    this.ready = paid - 1;
  }

  /** Pays for some steps, at least one and at most `most`; returns the number. */
  protected pay(most: number): number {
    return payForSteps(most, this.weight);
  }

  /** Resets the count and grants `free` steps without payment. */
  protected restart(free: number): void {
    this.ready = free;
    this.granted = free;
  }

  /** Starts counting for a nested evaluation; returns the count of the outer one, to be passed to `end`. */
  begin(): number {
    const taken = this.settle();
    this.granted = 0;
    return taken;
  }

  /** Resumes the count of the outer evaluation. */
  end(taken: number): void {
    this.settle();
    this.granted = taken;
  }

  /** Refunds the steps paid for but not taken; returns the number taken. */
  settle(): number {
    if (this.ready > 0) {
      refundSteps(this.ready, this.weight);
      this.granted -= this.ready;
      this.ready = 0;
    }
    return this.granted;
  }
}
