/** Checks and copies the unit that a program returns, so that trusted code reads each of its properties only once. */
import { invariant } from "../cel/error.ts";
import type { Query } from "../decide/query.ts";
import { noRoles } from "../emitted/roles.ts";
import type { ScopePart, Unit } from "../decide/unit.ts";

/** The most derived roles that one policy may return. */
const maxRoles = 100_000;

/** Reads the unit that a program returned; throws if it is invalid. */
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
    // A cast: the result of `decide` is only compared with the three effects, and its arguments are frozen.
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

/** Most lists of roles cached for each policy. */
const maxLists = 4;

/**
 * Returns a function that copies lists of roles, reusing an earlier copy with the same contents. The original is
 * untrusted: the unit may keep it, change it, or override its methods.
 */
function listsOfRoles(): (answered: unknown) => readonly string[] {
  let recent: readonly (readonly string[])[] = [];
  return (answered) => {
    invariant(Array.isArray(answered), "derived roles are a list");
    const { length } = answered;
    if (length === 0) return none;
    for (let at = 0; at < recent.length; at++) {
      const known = recent[at];
      if (known?.length === length && haveSameItems(answered, known)) return known;
    }
    const roles = readRoles(answered, length);
    recent = [roles, ...recent.slice(0, maxLists - 1)];
    return roles;
  };
}

function readRoles(answered: readonly unknown[], length: number): readonly string[] {
  invariant(length <= maxRoles, "derived roles are as many as a policy defines");
  const roles: string[] = [];
  for (let at = 0; at < length; at++) {
    const role = answered[at];
    invariant(typeof role === "string", "a derived role is a text");
    roles.push(role);
  }
  return Object.freeze(roles);
}

function haveSameItems(answered: readonly unknown[], last: readonly string[]): boolean {
  for (let at = 0; at < last.length; at++) if (answered[at] !== last[at]) return false;
  return true;
}

/** Properties that a program may have set on its unit or on a scope. */
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
