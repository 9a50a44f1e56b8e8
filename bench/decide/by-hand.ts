/** The leave requests of `bench/decide.ts` as somebody would write them in JavaScript: one function for all kinds, or one of its own for each. */
import type { Principal, Resource } from "../../runtime/decide/input.ts";
import { evaluateInThisRealm } from "../../runtime/load.ts";
import type { Contestant } from "./contestant.ts";

type Decides = (principal: Principal, resource: Resource, action: string) => boolean;

const text = `(principal, resource, action) => {
  const asks = principal.attr, about = resource.attr;
  let employee = false, manager = false;
  for (const role of principal.roles) {
    if (role === "admin") return true;
    if (role === "employee") employee = true;
    else if (role === "manager") manager = true;
  }
  const owns = employee && about.owner === principal.id;
  const manages = manager && about.geography === asks.geography && about.geography === asks.managed_geographies;
  switch (action) {
    case "create": return owns;
    case "view:public": return employee || owns || manages;
    case "approve": return manages && about.status === "PENDING_APPROVAL";
    case "delete": {
      if (!manages) return false;
      const parts = asks.ip_address.split(".");
      return about.geography === (parts[0] === "10" && parts[1] === "20" ? "GB" : "");
    }
    default: return action.startsWith("view:") && (owns || manages);
  }
}`;

/** A function made of its own text shares no machine code with another. */
const written = (about: string): Decides => evaluateInThisRealm(`/* ${about} */ ${text}`) as Decides; // as the text says

const byKind = (name: string, functionOf: (kinds: readonly string[]) => (kind: string) => Decides): Contestant => ({
  name,
  prepare: async (kinds) => {
    const of = functionOf(kinds);
    const table = new Map(kinds.map((kind) => [kind, of(kind)]));
    return ({ input: { principal, resource }, action }) =>
      () => {
        const decides = table.get(resource.kind);
        return decides !== undefined && decides(principal, resource, action);
      };
  },
});

/** One function, whatever the kind: no policy may differ from another. */
export const oneFunction = byKind("by hand, one function for all", () => {
  const decides = written("all");
  return () => decides;
});

/** What can be compared with policies that may each be another one. */
export const functionForEach = byKind("by hand, a function for each policy", () => written);
