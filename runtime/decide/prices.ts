/** The costs of the parts of a program, as whoever has read it reports them. */
import { light, type Weight } from "../cel/weight.ts";

/** The prices of one program. */
export interface Prices {
  /** A turn of its heaviest loop. */
  readonly turn: Weight;
  /** Each condition, variable and output, by its index; absent where all are light. */
  readonly conditions: readonly Weight[] | undefined;
  readonly variables: readonly Weight[] | undefined;
  readonly outputs: readonly Weight[] | undefined;
  /** Characters that asking each policy about an action, or about its derived roles, goes through. */
  readonly policies: readonly number[];
  /** Characters of the whole. */
  readonly length: number;
  /** The program as a whole, when its constants are made. */
  readonly loading: Weight;
  /** The length of the longest text among its constants. */
  readonly longestText: number;
}

/** Of a program that nobody has read, because who runs it trusts where it comes from. */
export const unread: Prices = Object.freeze({
  turn: light,
  conditions: undefined,
  variables: undefined,
  outputs: undefined,
  policies: Object.freeze([]),
  length: 0,
  loading: light,
  longestText: 0,
});
