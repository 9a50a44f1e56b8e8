// unit resource page@default
(rt, k) => {
  const ownerOf = (of) => rt.bare.owner === undefined && typeof of === "object" && of !== null ? of.owner : rt.get(of, "owner");

  // scope "": resource.page.vdefault, page.yaml:1
  // page.yaml:6 owner-reads: R.attr.owner == P.id
  const ownerReads = (q) => ownerOf(q.R) === q.principal.id;
  // page.yaml:18 others-do-not: none of (R.attr.owner == P.id)
  const othersDoNot = (q) => !(ownerOf(q.R) === q.principal.id);

  // bits of roles: 1 user
  const user = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "read": {
        // page.yaml:6 owner-reads: allow read to user when R.attr.owner == P.id
        if (roles & user && q.holds(first + 0, ownerReads)) return rt.ALLOW;
        return effect;
      }
      case "write": {
        // page.yaml:13 owner-writes: allow write to user when R.attr.owner == P.id
        if (roles & user && q.holds(first + 0, ownerReads)) effect = rt.ALLOW;
        // page.yaml:18 others-do-not: deny write to user when none of (R.attr.owner == P.id)
        if (roles & user && q.holds(first + 1, othersDoNot)) return rt.DENY;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
