/**
 * Scans the tokens of a YAML source before any recursive code processes them: nesting depth, and positions of scalars
 * on the lines of their fields.
 */
import type { CST } from "yaml";

/** The result of the scan. */
export interface TokenScan {
  readonly depth: number;
  /** Half-open offset ranges of all quoted scalars, closed or not. */
  readonly quoted: readonly Extent[];
  /** Those of all scalars without quotes, without the comments behind them. */
  readonly plain: readonly Extent[];
}

interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Walks the tokens without recursion, so that no input can exhaust the stack. */
export function scanTokens(tokens: readonly CST.Token[]): TokenScan {
  const pending: { readonly token: CST.Token; readonly depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  const quoted: Extent[] = [];
  const plain: Extent[] = [];
  let deepest = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { token, depth } = next;
    deepest = Math.max(deepest, depth);
    switch (token.type) {
      case "single-quoted-scalar":
      case "double-quoted-scalar":
        quoted.push(extentOf(token));
        break;
      case "scalar":
        plain.push(extentOf(token));
        break;
      case "document":
        if (token.value) pending.push({ token: token.value, depth });
        break;
      case "block-map":
      case "block-seq":
      case "flow-collection":
        for (const item of token.items) {
          if (item.key) pending.push({ token: item.key, depth: depth + 1 });
          if (item.value) pending.push({ token: item.value, depth: depth + 1 });
        }
        break;
      default:
        break;
    }
  }
  return { depth: deepest, quoted, plain };
}

const extentOf = ({ offset, source }: CST.FlowScalar): Extent => ({ start: offset, end: offset + source.length });
