/** What a program answers -> a unit: taken apart once, so that trusted code reads nothing of it twice, and only what it should be. */
import { invariant } from "../cel/error.ts";
import type { Query } from "../decide/query.ts";
import type { ScopePart, Unit } from "../decide/unit.ts";

/** The most derived roles that one policy can answer with. */
const mostRoles = 100_000;

/** Reads the unit that a program answered with; throws where it is none. */
export function readUnit(answered: unknown): Unit {
  const { scopes } = membersOf(answered);
  invariant(Array.isArray(scopes), "a unit's program answers with a list of scopes");
  const read: (readonly [string, ScopePart])[] = [];
  for (let at = 0; at < scopes.length; at++) {
    const entry: unknown = scopes[at];
    invariant(Array.isArray(entry), "each scope of a unit is a pair");
    const scope: unknown = entry[0];
    const { derivedRoles, decide, first } = membersOf(entry[1]);
    invariant(typeof scope === "string", "the scope of a unit is a text");
    invariant(typeof derivedRoles === "function" && typeof decide === "function", "a scope of a unit has both functions");
    invariant(typeof first === "number" && Number.isSafeInteger(first) && first >= 0, "a scope of a unit says where its questions begin");
    // A true edge: what `decide` answers is compared with the three effects, and what it is called with is frozen.
    let last = none;
    const part = {
      derivedRoles: (query: Query, from: number) => (last = readRoles(derivedRoles(query, from), last)),
      decide: decide as ScopePart["decide"],
      first,
    };
    read.push([scope, part]);
  }
  return { scopes: read };
}

const none: readonly string[] = Object.freeze([]);

/** A list of our own, the last one where it says the same: the unit may keep its list, change it, or have made methods for it. */
function readRoles(answered: unknown, last: readonly string[]): readonly string[] {
  invariant(Array.isArray(answered), "derived roles are a list");
  const { length } = answered;
  if (length === 0) return none;
  if (length === last.length && saysTheSame(answered, last)) return last;
  invariant(length <= mostRoles, "derived roles are as many as a policy defines");
  const roles: string[] = [];
  for (let at = 0; at < length; at++) {
    const role: unknown = answered[at];
    invariant(typeof role === "string", "a derived role is a text");
    roles.push(role);
  }
  return Object.freeze(roles);
}

function saysTheSame(answered: readonly unknown[], last: readonly string[]): boolean {
  for (let at = 0; at < last.length; at++) if (answered[at] !== last[at]) return false;
  return true;
}

/** What a program may have given its unit, or one of its scopes. */
interface Members {
  readonly scopes?: unknown;
  readonly derivedRoles?: unknown;
  readonly decide?: unknown;
  readonly first?: unknown;
}

function membersOf(value: unknown): Members {
  invariant(typeof value === "object" && value !== null, "a unit is made of objects");
  return value;
}
