/** What was decided of each action of an input: a Map, made only for those who do not read one action after the other. */
import type { ActionDecision } from "./decision.ts";

type ByName = ReadonlyMap<string, ActionDecision>;

/** The decisions of an input, in the order in which its actions were asked. */
export class ActionDecisions implements ByName {
  declare private readonly actions: readonly string[];
  declare private readonly decided: readonly ActionDecision[];
  // One is always there. An engine forgets what objects look like of which none is left, and all code that was optimised for them:
  // every collection of old memory would make the next thousand decisions slow.
  static readonly none: ActionDecisions = new ActionDecisions([], []);
  // How it is read is no part of what it says.
  #next = 0;
  #map: ByName | undefined;

  /** One decision for each action. */
  constructor(actions: readonly string[], decided: readonly ActionDecision[]) {
    this.actions = actions;
    this.decided = decided;
  }

  get(action: string): ActionDecision | undefined {
    const next = this.#next;
    if (this.actions[next] !== action) return this.map.get(action);
    // Who has read all may begin again.
    this.#next = next + 1 === this.actions.length ? 0 : next + 1;
    return this.decided[next];
  }

  private get map(): ByName {
    return (this.#map ??= new Map(this.decided.map((decided, at) => [this.actions[at] ?? "", decided])));
  }

  get size(): number {
    return this.map.size;
  }
  has(action: string): boolean {
    return this.map.has(action);
  }
  keys(): ReturnType<ByName["keys"]> {
    return this.map.keys();
  }
  values(): ReturnType<ByName["values"]> {
    return this.map.values();
  }
  entries(): ReturnType<ByName["entries"]> {
    return this.map.entries();
  }
  [Symbol.iterator](): ReturnType<ByName["entries"]> {
    return this.map.entries();
  }
  forEach(take: (decided: ActionDecision, action: string, all: ByName) => void): void {
    for (const [action, decided] of this.map) take(decided, action, this);
  }
}
