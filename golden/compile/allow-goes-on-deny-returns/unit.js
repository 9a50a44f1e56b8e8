// unit resource expense@default
(rt, k) => {
  const amountOf = (of) => rt.bare.amount === undefined && typeof of === "object" && of !== null ? of.amount : rt.get(of, "amount");
  const ownerOf = (of) => rt.bare.owner === undefined && typeof of === "object" && of !== null ? of.owner : rt.get(of, "owner");

  // scope "": resource.expense.vdefault, expense.yaml:1
  // expense.yaml:6 managers-approve: R.attr.amount < 1000
  const managersApprove = (q) => {
    let it;
    return typeof (it = amountOf(q.R)) === "number" && it < 1000;
  };
  // expense.yaml:13 not-your-own: R.attr.owner == P.id
  const notYourOwn = (q) => ownerOf(q.R) === q.principal.id;

  // bits of roles: 1 manager, 2 *, 4 employee, 8 contractor
  const manager = 1;
  const employeeOrContractor = 12;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "approve": {
        // expense.yaml:6 managers-approve: allow approve, view to manager when R.attr.amount < 1000
        if (roles & manager && q.holds(first + 0, managersApprove)) effect = rt.ALLOW;
        // expense.yaml:13 not-your-own: deny approve to * when R.attr.owner == P.id
        if (q.holds(first + 1, notYourOwn)) return rt.DENY;
        return effect;
      }
      case "view": {
        // expense.yaml:6 managers-approve: allow approve, view to manager when R.attr.amount < 1000
        if (roles & manager && q.holds(first + 0, managersApprove)) effect = rt.ALLOW;
        // expense.yaml:20 everybody-views: allow view to employee, contractor
        if (roles & employeeOrContractor) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
