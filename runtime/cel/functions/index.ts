/** All CEL functions and operators. */
import type { FunctionRow } from "../declare.ts";
import { conversions } from "./conversions.ts";
import { encoders } from "./encoders.ts";
import { hierarchies } from "./hierarchies.ts";
import { lists } from "./lists.ts";
import { math } from "./math.ts";
import { network } from "./network.ts";
import { operators } from "./operators.ts";
import { optionals } from "./optionals.ts";
import { orderings } from "./orderings.ts";
import { paths } from "./paths.ts";
import { policy } from "./policy.ts";
import { regularExpressions } from "./regular-expressions.ts";
import { sizes } from "./sizes.ts";
import { spiffe } from "./spiffe.ts";
import { strings } from "./strings.ts";
import { times } from "./times.ts";

/**
 * All overloads by family. The checker and the dispatch try them in this order, which is cel-go's: the standard
 * library, then its extensions by name.
 */
export const functionRows: readonly FunctionRow[] = [
  ...operators,
  ...orderings,
  ...sizes,
  ...conversions,
  ...times,
  ...optionals,
  ...encoders,
  ...lists,
  ...math,
  ...network,
  ...regularExpressions,
  ...strings,
  ...policy,
  ...paths,
  ...hierarchies,
  ...spiffe,
];

const rowsByName: ReadonlyMap<string, readonly FunctionRow[]> = (() => {
  const rows = new Map<string, FunctionRow[]>();
  for (const row of functionRows) rows.set(row.name, [...(rows.get(row.name) ?? []), row]);
  return rows;
})();

/** Returns all overloads of a function or operator, methods and global functions alike; empty if the name is unknown. */
export const overloadsOf = (name: string): readonly FunctionRow[] => rowsByName.get(name) ?? [];
