/** The decisions of an input by action. Builds a Map only if the reader does not read the actions in request order. */
import type { ActionDecision } from "./decision.ts";

type ByName = ReadonlyMap<string, ActionDecision>;

/** The decisions of an input, in the order of its actions. */
export class ActionDecisions implements ByName {
  declare private readonly actions: readonly string[];
  declare private readonly decided: readonly ActionDecision[];
  // One instance always exists. When V8 collects the last object of a hidden class, it discards the class and all
  // code optimised for it, which would make the next thousand decisions slow.
  static readonly none: ActionDecisions = new ActionDecisions([], []);
  // Private fields, so that the read position is not part of the visible object.
  #next = 0;
  #map: ByName | undefined;

  /** `decided` holds one decision for each action, in the same order. */
  constructor(actions: readonly string[], decided: readonly ActionDecision[]) {
    this.actions = actions;
    this.decided = decided;
  }

  /**
   * Returns the decisions on these actions, in their order; undefined stands for none. The list must not be changed: if the decisions
   * were made for this very list of actions, it is theirs.
   */
  static listOf(decisions: ByName, actions: readonly string[]): readonly (ActionDecision | undefined)[] {
    if (decisions instanceof ActionDecisions && decisions.actions === actions) return decisions.decided;
    return actions.map((action) => decisions.get(action));
  }

  get(action: string): ActionDecision | undefined {
    const next = this.#next;
    if (this.actions[next] !== action) return this.map.get(action);
    // After the last action, start again: a reader may read all of them once more.
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
