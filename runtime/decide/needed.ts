/** Collects what an expression needs in order not to fail: attributes by name, each of certain kinds, and turns of loops. */
import { lowestMostSteps } from "../cel/most-steps.ts";
import type { AttributeRead, Owner } from "./attribute-read.ts";
import { absent, any, type Kinds } from "./value-kinds.ts";

/** Attributes by their names, and what kinds each may have: the same place in both lists. */
export interface NeedsOfOne {
  readonly names: readonly string[];
  readonly kinds: readonly Kinds[];
}

/** What has to be among the attributes. */
export type Needs = { readonly [owner in Owner]: NeedsOfOne };

/** More attributes of one owner than these are not gone through for a condition. */
const mostNames = 30;

/** What was found out so far. */
export class Needed {
  private readonly principal: Attributes = { names: [], kinds: [] };
  private readonly resource: Attributes = { names: [], kinds: [] };
  private turns = 0;
  private hasMore = false;

  /** Notes that an attribute has to be of some kinds, and of all those that it has to be otherwise. */
  note({ owner, name }: AttributeRead, wanted: Kinds): void {
    const { names, kinds } = this[owner];
    const at = names.indexOf(name);
    if (at >= 0) kinds[at] = (kinds[at] ?? 0) & wanted;
    else if (names.length >= mostNames) this.hasMore = true;
    else {
      names.push(name);
      kinds.push(wanted);
    }
  }

  /** Notes that a loop may take so many turns. */
  noteTurns(turns: number): void {
    this.turns += turns;
  }

  /** Notes all that another expression needs. */
  noteAll(others: Needed): void {
    for (const owner of owners) {
      const { names, kinds } = others[owner];
      for (let at = 0; at < names.length; at++) this.note({ owner, name: names[at] ?? "" }, kinds[at] ?? 0);
    }
    this.turns += others.turns;
    this.hasMore ||= others.hasMore;
  }

  /** Says whether this is more than anybody should look for. */
  get isTooMuch(): boolean {
    return this.hasMore || this.turns > lowestMostSteps;
  }

  /** All of it; an attribute of which anything will do is not needed. */
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
