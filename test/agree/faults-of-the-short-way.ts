/** Faults of the short way to a decision, of when it is taken, and of the patterns that it is quick with. */
import type { Fault } from "./plant.ts";

export const faultsOfTheShortWay: readonly Fault[] = [
  {
    says: "by the short way, the first role decides alone",
    file: "runtime/decide/plain.ts",
    find: "for (let at = 0; at < ways.length; at++) {",
    put: "for (let at = 0; at < 1; at++) {",
  },
  {
    says: "by the short way, a DENY of any role beats an ALLOW",
    file: "runtime/decide/plain.ts",
    find: 'if (current.effect === "EFFECT_ALLOW") return current;',
    put: "if (current !== undecided) return current;",
  },
  {
    says: "by the short way, the last role that was decided is reported",
    file: "runtime/decide/plain.ts",
    find: "if (result === undecided) result = current;",
    put: "if (current !== undecided) result = current;",
  },
  {
    says: "by the short way, a DENY of a near scope is passed over",
    file: "runtime/decide/plain.ts",
    find: "if (decided !== undefined) return decided;",
    put: 'if (decided?.effect === "EFFECT_ALLOW") return decided;',
  },
  {
    says: "by the short way, DENY is taken for no answer",
    file: "runtime/decide/plain.ts",
    find: "effect === DENY ? visits[at]?.deny : undefined",
    put: "undefined",
  },
  {
    says: "the short way is taken past role policies",
    file: "runtime/decide/way.ts",
    find: "narrowing.length === 0 && !readsDerivedRoles && isMute",
    put: "!readsDerivedRoles && isMute",
  },
  {
    says: "the short way is taken where rules tell something",
    file: "runtime/decide/way.ts",
    find: "narrowing.length === 0 && !readsDerivedRoles && isMute",
    put: "narrowing.length === 0 && !readsDerivedRoles",
  },
  {
    says: "the short way is taken past principal policies",
    file: "runtime/decide/decide.ts",
    find: "ways.isPlain && personal === nowhere &&",
    put: "ways.isPlain &&",
  },
  {
    says: "a star reaches over a separator",
    file: "runtime/decide/glob.ts",
    find: "return at === -1 || at >= to;",
    put: "return true;",
  },
  {
    says: "a star forbids a separator behind it",
    file: "runtime/decide/glob.ts",
    find: "return at === -1 || at >= to;",
    put: "return at === -1;",
  },
  {
    says: "a pattern's end is not compared",
    file: "runtime/decide/glob.ts",
    find: '(end !== "" && !text.endsWith(end))',
    put: "end === text",
  },
];
