/** The CEL type `hierarchy`: a name in levels. */
import { printValue } from "./print-value.ts";
import { Opaque } from "./value.ts";

/** `hierarchy("a.b.c")`. */
export class Hierarchy extends Opaque {
  readonly typeName = "hierarchy";
  readonly levels: readonly string[];
  constructor(levels: readonly string[]) {
    super();
    this.levels = levels;
  }
  equals(other: Opaque): boolean {
    return (
      other instanceof Hierarchy && other.levels.length === this.levels.length && other.levels.every((level, i) => level === this.levels[i])
    );
  }
  print(): string {
    return `hierarchy(${printValue(this.levels)})`;
  }
}
