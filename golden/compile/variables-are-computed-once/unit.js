// unit resource leave@default
(rt, k) => {
  const daysOf = (of) => rt.bare.days === undefined && typeof of === "object" && of !== null ? of.days : rt.get(of, "days");
  const double_2 = rt.functionNamed("double", false, 1);
  const ownerOf = (of) => rt.bare.owner === undefined && typeof of === "object" && of !== null ? of.owner : rt.get(of, "owner");
  const placeOf = (of) => rt.bare.place === undefined && typeof of === "object" && of !== null ? of.place : rt.get(of, "place");
  const lowerAscii = rt.functionNamed("lowerAscii", true, 1);
  const places = ["office", "home"];

  // scope "": resource.leave.vdefault, leave.yaml:1
  // leave.yaml:1 V.days = double(R.attr.days)
  const days = (q) => double_2(rt.load, daysOf(q.R));
  // leave.yaml:17 short-ones: V.short && V.days > 0.0
  const shortOnes = (q) => q.variable(0, days) <= 30 && q.variable(0, days) > 0;
  // leave.yaml:24 my-own: V.mine && V.place in C.places
  const myOwn = (q) => ownerOf(q.R) === q.principal.id &&
    rt.isIn(lowerAscii(rt.load, placeOf(q.P)), places) === true;

  // bits of roles: 1 manager, 2 employee
  const manager = 1;
  const employee = 2;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "approve": {
        // leave.yaml:17 short-ones: allow approve to manager when V.short && V.days > 0.0
        if (roles & manager && q.holds(first + 1, shortOnes)) return rt.ALLOW;
        return effect;
      }
      case "cancel": {
        // leave.yaml:24 my-own: allow cancel to employee when V.mine && V.place in C.places
        if (roles & employee && q.holds(first + 2, myOwn)) return rt.ALLOW;
        return effect;
      }
      case "view": {
        // leave.yaml:31 always: allow view to employee
        if (roles & employee) {
          q.consider(first + 0);
          return rt.ALLOW;
        }
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
