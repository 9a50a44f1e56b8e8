/** What running something draws from the budget of work of a check. */
import { swapBudget, maxWork } from "../../runtime/cel/work.ts";

/** Units of work that a check draws. */
export function spentOn(run: () => void): number {
  const budget = { left: maxWork, stepPrice: 1 };
  swapBudget(budget);
  try {
    run();
  } finally {
    swapBudget(budget);
  }
  return maxWork - budget.left;
}
