// unit resource document@default
(rt, k) => {
  const ownerOf = (of) => rt.bare.owner === undefined && typeof of === "object" && of !== null ? of.owner : rt.get(of, "owner");
  const teamOf = (of) => rt.bare.team === undefined && typeof of === "object" && of !== null ? of.team : rt.get(of, "team");
  const regionOf = (of) => rt.bare.region === undefined && typeof of === "object" && of !== null ? of.region : rt.get(of, "region");

  // scope "": resource.document.vdefault, document.yaml:1
  // roles.yaml:12 derived role owner: employee when V.owner == P.id
  const owner = (q) => ownerOf(q.R) === q.principal.id;
  // the same condition while active roles are listed: a variable that fails is null, not an error
  const ownerListed = (q) => (ownerOf(q.R) ?? null) === q.principal.id;
  // roles.yaml:17 derived role colleague: * when all of (V.team == "core/" + C.home; V.team != R.attr.team)
  // derived role colleague: V.team = P.attr.team + "/" + R.attr.region
  const team = (q) => rt.add(rt.add(teamOf(q.P), "/"), regionOf(q.R));
  const colleague = (q) => {
    let it, it_2;
    return rt.equal(q.variable(0, team), rt.add("core/", "DE")) === true &&
      (it = q.variable(0, team)) !== undefined &&
      (it_2 = teamOf(q.R)) !== undefined &&
      it !== it_2;
  };
  // the same condition while active roles are listed: a variable that fails is null, not an error
  // derived role colleague: V.team = P.attr.team + "/" + R.attr.region
  const team_2 = (q) => rt.add(rt.add(teamOf(q.P), "/"), regionOf(q.R));
  const colleagueListed = (q) => rt.equal((q.variable(1, team_2) ?? null), rt.add("core/", "DE")) === true &&
    rt.equal((q.variable(1, team_2) ?? null), teamOf(q.R)) === false;
  // roles.yaml:25 derived role everybody: staff_*, visitor
  const activeRoles = (q, first) => rt.rolesAmong([
    q.holds(first + 2, colleagueListed) && "colleague",
    q.hasRole(["staff_*", "visitor"]) && "everybody",
    q.hasRole(["employee"]) && q.holds(first + 0, ownerListed) && "owner",
  ]);
  // document.yaml:16 ask: "owner" in runtime.effectiveDerivedRoles
  const ask = (q) => rt.isIn("owner", q.effectiveDerivedRoles) === true;

  // bits of roles: 1 auditor, 2 employee, 4 *, 8 staff_*, 16 visitor
  const employee = 2;
  const auditor = 1;
  const staff_OrVisitor = 24;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "edit": {
        // document.yaml:7 own: allow edit to owner, colleague
        if (roles & employee && q.holds(first + 1, owner)) effect = rt.ALLOW;
        if (q.holds(first + 3, colleague)) return rt.ALLOW;
        return effect;
      }
      case "read": {
        // document.yaml:11 read: allow read to auditor, everybody
        if (roles & auditor) effect = rt.ALLOW;
        if (roles & staff_OrVisitor) return rt.ALLOW;
        return effect;
      }
      case "share": {
        // document.yaml:16 ask: allow share to employee when "owner" in runtime.effectiveDerivedRoles
        if (roles & employee && q.holds(first + 4, ask)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: activeRoles, decide: root, first: 0 }]] };
}
