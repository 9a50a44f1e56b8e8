// unit resource expense@default
(rt, k) => {
  const deputiesOf = (of) => rt.bare.deputies === undefined && typeof of === "object" && of !== null ? of.deputies : rt.get(of, "deputies");
  const amountOf = (of) => rt.bare.amount === undefined && typeof of === "object" && of !== null ? of.amount : rt.get(of, "amount");
  const statusOf = (of) => rt.bare.status === undefined && typeof of === "object" && of !== null ? of.status : rt.get(of, "status");
  const string = rt.functionNamed("string", false, 1);
  const paidOnOf = (of) => rt.bare.paidOn === undefined && typeof of === "object" && of !== null ? of.paidOn : rt.get(of, "paidOn");
  const actionEdit = rt.glob("edit:*");
  const actionEditText = rt.glob("edit:text*");

  // scope "": resource.expense.vdefault, expense.yaml:1
  // roles.yaml:5 derived role deputy: employee, contractor when P.id in R.attr.deputies
  const deputy = (q) => rt.isIn(q.principal.id, deputiesOf(q.R)) === true;
  const activeRoles = (q, first) => rt.rolesAmong([
    q.hasRole(["employee", "contractor"]) && q.holds(first + 0, deputy) && "deputy",
  ]);
  // expense.yaml:14 approve: !V.tooMuch
  const approve = (q) => {
    let it;
    return typeof (it = amountOf(q.R)) === "number" && it <= 1000;
  };
  // expense.yaml:27 not-when-paid: R.attr.status == "PAID"
  const notWhenPaid = (q) => statusOf(q.R) === "PAID";
  // expense.yaml:14 approve, output when ruleActivated: {"by": P.id, "limit": C.limit}
  const approveTells = (q) => rt.mapOf([["by", q.principal.id], ["limit", 1000]]);
  // expense.yaml:14 approve, output when conditionNotMet: "above " + string(C.limit)
  const approveElseTells = (q) => rt.add("above ", string(rt.load, 1000));
  // expense.yaml:27 not-when-paid, output when ruleActivated: "paid on " + R.attr.paidOn
  const notWhenPaidTells = (q) => rt.add("paid on ", paidOnOf(q.R));
  // expense.yaml:38 edit, output when ruleActivated: "edited"
  const editTells = (q) => "edited";

  // bits of roles: 1 manager, 2 director, 4 *, 8 employee, 16 contractor
  const managerOrDirector = 3;
  const employeeOrContractor = 24;
  const employee = 8;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "approve": {
        // expense.yaml:14 approve: allow approve to manager, director, deputy when !V.tooMuch
        if (roles & managerOrDirector) {
          if (q.holds(first + 2, approve)) {
            q.output(first + 4, "resource.expense.vdefault#approve", action, approveTells, rt.count(roles & managerOrDirector));
            effect = rt.ALLOW;
          } else {
            q.output(first + 5, "resource.expense.vdefault#approve", action, approveElseTells, rt.count(roles & managerOrDirector));
          }
        }
        if (roles & employeeOrContractor) {
          q.consider(first + 1);
          if (q.holds(first + 0, deputy)) {
            if (q.holds(first + 2, approve)) {
              q.output(first + 4, "resource.expense.vdefault#approve", action, approveTells, rt.count(roles & employeeOrContractor));
              effect = rt.ALLOW;
            } else {
              q.output(first + 5, "resource.expense.vdefault#approve", action, approveElseTells, rt.count(roles & employeeOrContractor));
            }
          }
        }
        // expense.yaml:27 not-when-paid: deny approve, edit to * when R.attr.status == "PAID"
        if (q.holds(first + 3, notWhenPaid)) {
          q.output(first + 6, "resource.expense.vdefault#not-when-paid", action, notWhenPaidTells, 1);
          return rt.DENY;
        }
        return effect;
      }
      case "edit": {
        // expense.yaml:27 not-when-paid: deny approve, edit to * when R.attr.status == "PAID"
        if (q.holds(first + 3, notWhenPaid)) {
          q.output(first + 6, "resource.expense.vdefault#not-when-paid", action, notWhenPaidTells, 1);
          return rt.DENY;
        }
        return effect;
      }
      case "delete": {
        // expense.yaml:38 edit: allow edit:*, edit:text*, delete to employee, deputy
        if (roles & employee) {
          q.consider(first + 1);
          q.output(first + 7, "resource.expense.vdefault#edit", action, editTells, 1);
          effect = rt.ALLOW;
        }
        if (roles & employeeOrContractor) {
          q.consider(first + 1);
          if (q.holds(first + 0, deputy)) {
            q.output(first + 7, "resource.expense.vdefault#edit", action, editTells, rt.count(roles & employeeOrContractor));
            return rt.ALLOW;
          }
        }
        return effect;
      }
      case "view": {
        // expense.yaml:46 view: allow view to employee
        if (roles & employee) {
          q.consider(first + 1);
          return rt.ALLOW;
        }
        return effect;
      }
    }
    // expense.yaml:38 edit: allow edit:*, edit:text*, delete to employee, deputy
    for (let entry = (actionEdit(action) ? 1 : 0) + (actionEditText(action) ? 1 : 0); entry > 0; entry--) {
      if (roles & employee) {
        q.consider(first + 1);
        q.output(first + 7, "resource.expense.vdefault#edit", action, editTells, 1);
        effect = rt.ALLOW;
      }
      if (roles & employeeOrContractor) {
        q.consider(first + 1);
        if (q.holds(first + 0, deputy)) {
          q.output(first + 7, "resource.expense.vdefault#edit", action, editTells, rt.count(roles & employeeOrContractor));
          effect = rt.ALLOW;
        }
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: activeRoles, decide: root, first: 0 }]] };
}
