/** Collects what an expression needs so that it cannot fail: attributes of certain kinds, and loop steps. */
import { minStepLimit } from "../cel/step-limit.ts";
import type { AttributeRead, Owner } from "./attribute-read.ts";
import { absent, any, type Kinds } from "./value-kinds.ts";

/** Attribute names and allowed kinds, index by index. */
export interface NeedsOfOne {
  readonly names: readonly string[];
  readonly kinds: readonly Kinds[];
}

/** The needed attributes of principal and resource. */
export type Needs = { readonly [owner in Owner]: NeedsOfOne };

/** If more attributes of one owner are needed, the analysis gives up. */
const maxNames = 30;

/** The needs collected so far. */
export class NeedsCollector {
  private readonly principal: Attributes = { names: [], kinds: [] };
  private readonly resource: Attributes = { names: [], kinds: [] };
  private steps = 0;
  private hasMore = false;

  /** Adds that an attribute must have one of some kinds, in addition to earlier restrictions. */
  note({ owner, name }: AttributeRead, wanted: Kinds): void {
    const { names, kinds } = this[owner];
    const at = names.indexOf(name);
    if (at >= 0) kinds[at] = (kinds[at] ?? 0) & wanted;
    else if (names.length >= maxNames) this.hasMore = true;
    else {
      names.push(name);
      kinds.push(wanted);
    }
  }

  /** Adds the steps that a loop may take. */
  noteSteps(steps: number): void {
    this.steps += steps;
  }

  /** Adds everything that another expression needs. */
  noteAll(others: NeedsCollector): void {
    for (const owner of owners) {
      const { names, kinds } = others[owner];
      for (let at = 0; at < names.length; at++) this.note({ owner, name: names[at] ?? "" }, kinds[at] ?? 0);
    }
    this.steps += others.steps;
    this.hasMore ||= others.hasMore;
  }

  /** Whether it is more than is worth checking. */
  get isTooMuch(): boolean {
    return this.hasMore || this.steps > minStepLimit;
  }

  /** Returns the needs, without attributes of which any value or none will do. */
  written(): Needs {
    return { principal: writtenOf(this.principal), resource: writtenOf(this.resource) };
  }
}

interface Attributes {
  readonly names: string[];
  readonly kinds: Kinds[];
}

const owners: readonly Owner[] = ["principal", "resource"];

function writtenOf({ names, kinds }: NeedsOfOne): NeedsOfOne {
  if (names.length === 0) return none;
  const isNeeded = (at: number): boolean => kinds[at] !== (any | absent);
  return { names: names.filter((_, at) => isNeeded(at)), kinds: kinds.filter((_, at) => isNeeded(at)) };
}

const none: NeedsOfOne = { names: [], kinds: [] };
