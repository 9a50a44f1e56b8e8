/** What a program answers -> a unit: taken apart once, so that trusted code reads nothing of it twice, and only what it should be. */
import { invariant } from "../cel/error.ts";
import type { Query } from "../decide/query.ts";
import { noRoles } from "../emitted/roles.ts";
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
    const recent = listsOfRoles();
    const part = {
      derivedRoles: derivedRoles === noRoles ? noRoles : (query: Query, from: number) => recent(derivedRoles(query, from)),
      decide: decide as ScopePart["decide"],
      first,
    };
    read.push([scope, part]);
  }
  return { scopes: read };
}

const none: readonly string[] = Object.freeze([]);

/** How many lists of roles each policy remembers. */
const mostLists = 4;

/** Takes lists of roles: answers a list of our own, an earlier one where it says the same. The unit may keep its list, change it, or have made methods for it. */
function listsOfRoles(): (answered: unknown) => readonly string[] {
  let recent: readonly (readonly string[])[] = [];
  return (answered) => {
    invariant(Array.isArray(answered), "derived roles are a list");
    const { length } = answered;
    if (length === 0) return none;
    for (let at = 0; at < recent.length; at++) {
      const known = recent[at];
      if (known?.length === length && saysTheSame(answered, known)) return known;
    }
    const roles = readRoles(answered, length);
    recent = [roles, ...recent.slice(0, mostLists - 1)];
    return roles;
  };
}

function readRoles(answered: readonly unknown[], length: number): readonly string[] {
  invariant(length <= mostRoles, "derived roles are as many as a policy defines");
  const roles: string[] = [];
  for (let at = 0; at < length; at++) {
    const role = answered[at];
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
