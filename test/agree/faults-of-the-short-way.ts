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
    says: "by the short way, a policy of one scope is told what another one remembered",
    file: "runtime/decide/plain.ts",
    find: "part?.decide(query, action, matched, part.first)",
    put: "part?.decide(query, action, matched, 0)",
  },
  {
    says: "straight ahead, DENY is taken for no answer",
    file: "runtime/decide/straight.ts",
    find: "effect === DENY ? visit?.deny : undefined",
    put: "undefined",
  },
  {
    says: "one goes straight past principal policies",
    file: "runtime/decide/straight.ts",
    find: "if (router.hasPrincipals && router.hasPolicy(principal.id)) return undefined;",
    put: "",
  },
  {
    says: "one goes straight past role policies and outputs",
    file: "runtime/decide/straight.ts",
    find: "if (!ways.isPlain) return undefined;",
    put: "",
  },
  {
    says: "one goes straight past schemas",
    file: "runtime/decide/straight.ts",
    find: "options.schemas === undefined && asksPlainly(options)",
    put: "asksPlainly(options)",
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
    says: "by the short way of the record, the first role decides alone",
    file: "runtime/decide/recorded.ts",
    find: "for (let at = 0; at < ways.length; at++) {",
    put: "for (let at = 0; at < 1; at++) {",
  },
  {
    says: "by the short way of the record, nobody was considered",
    file: "runtime/decide/recorded.ts",
    find: "pass.inquiry.considered?.byRows(visit.policy, action, step.matched);",
    put: "",
  },
  {
    says: "by the short way of the record, the scope that decides was not visited",
    file: "runtime/decide/recorded.ts",
    find: "walk.visited = step.at + 1;",
    put: "walk.visited = step.at;",
  },
  {
    says: "by the short way of the record, all scopes were visited",
    file: "runtime/decide/recorded.ts",
    find: "walk.visited = step.at + 1;",
    put: "walk.visited = visits.length;",
  },
  {
    says: "by the short way of the record, a policy of one scope is told what another one remembered",
    file: "runtime/decide/recorded.ts",
    find: "step.part.decide(hearing.query, action, step.matched, step.part.first)",
    put: "step.part.decide(hearing.query, action, step.matched, 0)",
  },
  {
    says: "the short way of the record is taken past principal policies",
    file: "runtime/decide/recorded.ts",
    find: "principals !== undefined || hearing === undefined",
    put: "hearing === undefined",
  },
  {
    says: "the short way of the record is taken past role policies",
    file: "runtime/decide/recorded.ts",
    find: "!ways.isPlain || !inquiry.listsRoles",
    put: "!inquiry.listsRoles",
  },
  {
    says: "the derived roles of a scope count for those above it",
    file: "runtime/decide/active-roles.ts",
    find: "else if (!holdsAll(found, roles))",
    put: "else if (roles.length > found.length)",
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
