// unit principal pat@example.com@default
(rt, k) => {
  const frozenOf = (of) => rt.bare.frozen === undefined && typeof of === "object" && of !== null ? of.frozen : rt.get(of, "frozen");
  const actionView = rt.glob("view:*");

  // scope "": principal.pat_example.com.vdefault, pat.yaml:1
  // pat.yaml:12 leave_*_rule-001: V.frozen
  const leave__rule001 = (q) => frozenOf(q.R) === true;

  // bits of kinds: 1 leave_*, 2 expense, 4 *
  const leave_ = 1;
  const expense = 2;
  const root = (q, action, kinds, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "approve": {
        // pat.yaml:12 leave_*_rule-001: deny approve on leave_* when V.frozen
        if (kinds & leave_ && q.holds(first + 1, leave__rule001)) return rt.DENY;
        // pat.yaml:21 expense_rule-001: allow approve on expense
        if (kinds & expense) {
          q.consider(first + 0);
          return rt.ALLOW;
        }
        return effect;
      }
      case "explain": {
        // pat.yaml:26 *_rule-001: allow explain on *
        q.consider(first + 0);
        return rt.ALLOW;
      }
    }
    // pat.yaml:17 leave_*_rule-002: allow view:* on leave_*
    if (kinds & leave_ && actionView(action)) {
      q.consider(first + 0);
      return rt.ALLOW;
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
