// unit resource expense@default
(rt, k) => {
  const ownerOf = (of) => rt.bare.owner === undefined && typeof of === "object" && of !== null ? of.owner : rt.get(of, "owner");
  const amountOf = (of) => rt.bare.amount === undefined && typeof of === "object" && of !== null ? of.amount : rt.get(of, "amount");
  const statusOf = (of) => rt.bare.status === undefined && typeof of === "object" && of !== null ? of.status : rt.get(of, "status");

  // scope "": resource.expense.vdefault, expense.yaml:1

  // bits of roles: 1 employee
  const employee = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "view":
      case "approve": {
        // expense.yaml:6 rule-001: allow view, approve to employee
        if (roles & employee) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  // scope "acme": resource.expense.vdefault/acme, expense.acme.yaml:1; an allow needs consent of the parent scopes
  // acme_roles.yaml:5 derived role owner: employee when R.attr.owner == P.id
  const owner = (q) => ownerOf(q.R) === q.principal.id;
  const activeRoles = (q, first) => rt.rolesAmong([
    q.hasRole(["employee"]) && q.holds(first + 0, owner) && "owner",
  ]);
  // expense.acme.yaml:10 small-amounts: R.attr.amount < 1000.0
  const smallAmounts = (q) => {
    let it;
    return typeof (it = amountOf(q.R)) === "number" && it < 1000;
  };
  // expense.acme.yaml:23 not-when-paid: R.attr.status == "PAID"
  const notWhenPaid = (q) => statusOf(q.R) === "PAID";

  // bits of roles: 1 employee, 2 *
  const acmeEmployee = 1;
  const acme = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "approve": {
        // expense.acme.yaml:10 small-amounts: deny approve to employee unless R.attr.amount < 1000.0
        if (roles & acmeEmployee && !q.holds(first + 1, smallAmounts)) return rt.DENY;
        // expense.acme.yaml:23 not-when-paid: deny approve to * when R.attr.status == "PAID"
        if (q.holds(first + 2, notWhenPaid)) return rt.DENY;
        return effect;
      }
      case "view": {
        // expense.acme.yaml:18 everybody-views: allow view to employee, owner, if a parent scope allows it
        if (roles & acmeEmployee) q.holds(first + 0, owner);
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }],
    ["acme", { derivedRoles: activeRoles, decide: acme, first: 0 }]] };
}
