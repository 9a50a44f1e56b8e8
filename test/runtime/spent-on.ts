/** What running something draws from the account of work of a check. */
import { exchange, mostWork } from "../../runtime/cel/work.ts";

/** Units of work that a check draws. */
export function spentOn(run: () => void): number {
  const account = { left: mostWork, turn: 1 };
  exchange(account);
  try {
    run();
  } finally {
    exchange(account);
  }
  return mostWork - account.left;
}
