/**
 * The attributes that the conditions and variables of a unit need, one bit each. Each is looked up once for an input,
 * however many need it.
 */
import type { CheckInput } from "./input.ts";
import type { Needs, NeedsOfOne } from "./needs-collector.ts";
import { bits } from "./query.ts";
import { any, isOfKinds, type Kinds } from "./value-kinds.ts";

/** Attribute names and allowed kinds, index by index; the index is also the number of the bit. */
export interface NeededAttributes {
  readonly names: readonly string[];
  readonly kinds: readonly Kinds[];
  /** The bits of the principal's attributes; the others are the resource's. */
  readonly ofPrincipal: number;
}

/** The bit that stands for needs that cannot be looked up. */
export const beyond = 1 << bits;

// Local constants: in a separate realm, globals are looked up on each read.
const { hasOwn } = Object;
const { clz32 } = Math;

/** The index of the lowest bit set. */
export const lowest = (word: number): number => 31 - clz32(word & -word);

/** Whether one of the neededBits attributes is missing or has another kind. */
export function isLacking(
  neededBits: number,
  { names, kinds, ofPrincipal }: NeededAttributes,
  { principal, resource }: CheckInput,
): boolean {
  if ((neededBits & beyond) !== 0) return true;
  for (let left = neededBits; left !== 0; left &= left - 1) {
    const at = lowest(left);
    const name = names[at] ?? "";
    const attributes = ((ofPrincipal >> at) & 1) === 0 ? resource.attr : principal.attr;
    const value = attributes !== undefined && hasOwn(attributes, name) ? attributes[name] : undefined;
    if (!isOfKinds(value, kinds[at] ?? any)) return true;
  }
  return false;
}

/** Assigns the bits of one unit. */
export class AttributeBits {
  private readonly places = new Map<string, number>();
  private readonly names: string[] = [];
  private readonly kinds: Kinds[] = [];
  private ofPrincipal = 0;

  /** Returns the bits of some needs; `beyond` if they are unknown or the bits are used up. */
  bitsOf(needs: Needs | undefined): number {
    if (needs === undefined) return beyond;
    return this.bitsOfOne(needs.principal, true) | this.bitsOfOne(needs.resource, false);
  }

  private bitsOfOne({ names, kinds }: NeedsOfOne, isPrincipal: boolean): number {
    return names.reduce((found, name, at) => found | this.bitOf(name, kinds[at] ?? any, isPrincipal), 0);
  }

  private bitOf(name: string, kinds: Kinds, isPrincipal: boolean): number {
    const key = `${isPrincipal} ${kinds} ${name}`;
    const known = this.places.get(key);
    if (known !== undefined) return 1 << known;
    const place = this.names.length;
    if (place >= bits) return beyond;
    this.places.set(key, place);
    this.names.push(name);
    this.kinds.push(kinds);
    if (isPrincipal) this.ofPrincipal |= 1 << place;
    return 1 << place;
  }

  written(): NeededAttributes {
    return { names: this.names, kinds: this.kinds, ofPrincipal: this.ofPrincipal };
  }
}
