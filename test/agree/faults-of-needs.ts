/** Faults of what counts as sure not to fail: an error that somebody takes for impossible is missing in what is told. */
import type { Fault } from "./plant.ts";

const sure = "runtime/decide/sure-kinds.ts";
const calls = "runtime/decide/sure-calls.ts";
const neededAttributes = "runtime/decide/needed-attributes.ts";

export const faultsOfNeeds: readonly Fault[] = [
  {
    says: "an attribute that is there counts as one of the kind that is needed",
    file: neededAttributes,
    find: "if (!isOfKinds(value, kinds[at] ?? any)) return true;",
    put: "if (value === undefined) return true;",
  },
  {
    says: "what is needed of the principal is looked for in the resource",
    file: neededAttributes,
    find: "((ofPrincipal >> at) & 1) === 0 ? resource.attr : principal.attr",
    put: "resource.attr",
  },
  {
    says: "an attribute is needed of the kind that the first condition of a unit wants",
    file: neededAttributes,
    find: "const key = `${isPrincipal} ${kinds} ${name}`;",
    put: "const key = `${isPrincipal} ${name}`;",
    trial: 331,
  },
  {
    says: "an attribute is needed of the kind that was wanted last, not of all that are",
    file: "runtime/decide/needs-collector.ts",
    find: "if (at >= 0) kinds[at] = (kinds[at] ?? 0) & wanted;",
    put: "if (at >= 0) kinds[at] = wanted;",
    trial: 201,
  },
  {
    says: "numbers and texts have an order",
    file: calls,
    find: "const families: readonly Kinds[] = [ordered, text, truth];",
    put: "const families: readonly Kinds[] = [ordered | text, truth];",
    trial: 100,
  },
  {
    says: "a text has elements",
    file: calls,
    find: 'operator("@in", [any, list | map], truth),',
    put: 'operator("@in", [any, list | map | text], truth),',
    trial: 16,
  },
  {
    says: "a condition of `?:` is always true or false",
    file: sure,
    find: "no === undefined || !isSure(condition, truth, at)) return 0;",
    put: "no === undefined || sureKinds(condition, any, at) === 0) return 0;",
    trial: 74,
  },
  {
    says: "a loop may go through anything that has a size",
    file: sure,
    find: "[short, any],",
    put: "[short | long | text, any],",
    trial: 16,
  },
  {
    says: "a condition does not need what its variables do",
    file: sure,
    find: "at.needed.noteAll(variable.needed);",
    put: "",
    trial: 15,
  },
];
