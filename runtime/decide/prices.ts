/** The costs of the parts of a program, measured when its text was read. */
import { lightWeight, type Weight } from "../cel/weight.ts";

/** The costs of one program. */
export interface Prices {
  /** One step of its heaviest loop. */
  readonly loopStep: Weight;
  /** Each condition, variable and output by index; undefined if all are light. */
  readonly conditions: readonly Weight[] | undefined;
  readonly variables: readonly Weight[] | undefined;
  readonly outputs: readonly Weight[] | undefined;
  /** For each policy, the characters executed for one action or for its derived roles. */
  readonly policies: readonly number[];
  /** Characters of the whole program. */
  readonly length: number;
  /** The cost of loading the program, when its constants are created. */
  readonly loading: Weight;
  /** Length in UTF-16 units of the longest string among its constants. */
  readonly longestText: number;
}

/** The costs assumed for a program that was not measured, because its source is trusted. */
export const unmeasured: Prices = Object.freeze({
  loopStep: lightWeight,
  conditions: undefined,
  variables: undefined,
  outputs: undefined,
  policies: Object.freeze([]),
  length: 0,
  loading: lightWeight,
  longestText: 0,
});
