// unit resource invoice@default
(rt, k) => {
  const statusOf = (of) => rt.bare.status === undefined && typeof of === "object" && of !== null ? of.status : rt.get(of, "status");
  const listed = new Set(["PAID", "VOID"]);
  const yearOf = (of) => rt.bare.year === undefined && typeof of === "object" && of !== null ? of.year : rt.get(of, "year");
  const listed_2 = new Set([2020, 2021]);
  const ownerOf = (of) => rt.bare.owner === undefined && typeof of === "object" && of !== null ? of.owner : rt.get(of, "owner");
  const deputyOf = (of) => rt.bare.deputy === undefined && typeof of === "object" && of !== null ? of.deputy : rt.get(of, "deputy");

  // scope "": resource.invoice.vdefault, invoice.yaml:1
  // invoice.yaml:6 settled: R.attr.status in ["PAID", "VOID"] && !(R.attr.year in [2020, 2021])
  const settled = (q) => {
    let it;
    return listed.has(statusOf(q.R)) && (it = yearOf(q.R)) !== undefined && !listed_2.has(it);
  };
  // invoice.yaml:14 mine: R.attr.owner in [P.id, P.attr.deputy]
  const mine = (q) => rt.isIn(ownerOf(q.R), rt.list([q.principal.id, deputyOf(q.P)])) === true;

  // bits of roles: 1 accountant
  const accountant = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "archive": {
        // invoice.yaml:6 settled: allow archive to accountant when R.attr.status in ["PAID", "VOID"] && !(R.attr.year in [2020, 2021])
        if (roles & accountant && q.holds(first + 0, settled)) return rt.ALLOW;
        return effect;
      }
      case "read": {
        // invoice.yaml:14 mine: allow read to accountant when R.attr.owner in [P.id, P.attr.deputy]
        if (roles & accountant && q.holds(first + 1, mine)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
