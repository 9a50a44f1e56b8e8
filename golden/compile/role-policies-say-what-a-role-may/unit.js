// unit resource expense@default
(rt, k) => {
  // scope "": resource.expense.vdefault, expense.yaml:2

  // bits of roles: 1 employee
  const employee = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    // expense.yaml:7 rule-001: allow * to employee
    if (roles & employee) return rt.ALLOW;
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}

// unit role clerk@default
(rt, k) => {
  const amountOf = (of) => rt.bare.amount === undefined && typeof of === "object" && of !== null ? of.amount : rt.get(of, "amount");
  const ownerOf = (of) => rt.bare.owner === undefined && typeof of === "object" && of !== null ? of.owner : rt.get(of, "owner");
  const string = rt.functionNamed("string", false, 1);
  const actionEdit = rt.glob("edit:*");
  const actionPrintExport = rt.glob("{print,export}");

  // scope "": role.clerk.vdefault, clerk.yaml:1
  // clerk.yaml:9: R.attr.amount < 1000.0
  const viewOfExpense = (q) => {
    let it;
    return typeof (it = amountOf(q.R)) === "number" && it < 1000;
  };
  // clerk.yaml:18: R.attr.owner == P.id
  const ofLeave_ = (q) => ownerOf(q.R) === q.principal.id;
  // clerk.yaml:9, output when ruleActivated: "small enough for a clerk"
  const viewOfExpenseTells = (q) => "small enough for a clerk";
  // clerk.yaml:9, output when conditionNotMet: "too much for a clerk: " + string(R.attr.amount)
  const viewOfExpenseElseTells = (q) => rt.add("too much for a clerk: ", string(rt.load, amountOf(q.R)));

  // bits of kinds: 1 expense, 2 leave_*
  const expense = 1;
  const leave_ = 2;
  const root = (q, action, kinds, first) => {
    // deny by default: the role may do only what a row below allows
    let effect = rt.DENY;
    switch (action) {
      case "view": {
        // clerk.yaml:6: role may view, edit:*, {print,export} on expense
        if (kinds & expense) effect = rt.NONE;
        // clerk.yaml:9: role may view on expense when R.attr.amount < 1000.0
        if (kinds & expense) {
          if (!q.holds(first + 0, viewOfExpense)) {
            q.output(first + 3, "role.clerk.vdefault#", action, viewOfExpenseElseTells, 1);
            return rt.DENY;
          }
          q.output(first + 2, "role.clerk.vdefault#", action, viewOfExpenseTells, 1);
          effect = rt.NONE;
        }
        // clerk.yaml:18: role may * on leave_* when R.attr.owner == P.id
        if (kinds & leave_) {
          if (!q.holds(first + 1, ofLeave_)) return rt.DENY;
          return rt.NONE;
        }
        return effect;
      }
      case "{print,export}": {
        // clerk.yaml:6: role may view, edit:*, {print,export} on expense
        if (kinds & expense) effect = rt.NONE;
        // clerk.yaml:18: role may * on leave_* when R.attr.owner == P.id
        if (kinds & leave_) {
          if (!q.holds(first + 1, ofLeave_)) return rt.DENY;
          return rt.NONE;
        }
        return effect;
      }
    }
    // clerk.yaml:6: role may view, edit:*, {print,export} on expense
    if (kinds & expense && (actionEdit(action) || actionPrintExport(action))) effect = rt.NONE;
    // clerk.yaml:18: role may * on leave_* when R.attr.owner == P.id
    if (kinds & leave_) {
      if (!q.holds(first + 1, ofLeave_)) return rt.DENY;
      return rt.NONE;
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
