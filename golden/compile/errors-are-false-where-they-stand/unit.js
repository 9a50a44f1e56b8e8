// unit resource record@default
(rt, k) => {
  const deletedOf = (of) => rt.bare.deleted === undefined && typeof of === "object" && of !== null ? of.deleted : rt.get(of, "deleted");
  const hiddenOf = (of) => rt.bare.hidden === undefined && typeof of === "object" && of !== null ? of.hidden : rt.get(of, "hidden");
  const blockedOf = (of) => rt.bare.blocked === undefined && typeof of === "object" && of !== null ? of.blocked : rt.get(of, "blocked");
  const lockedOf = (of) => rt.bare.locked === undefined && typeof of === "object" && of !== null ? of.locked : rt.get(of, "locked");
  const ownerOf = (of) => rt.bare.owner === undefined && typeof of === "object" && of !== null ? of.owner : rt.get(of, "owner");
  const nameOf = (of) => rt.bare.name === undefined && typeof of === "object" && of !== null ? of.name : rt.get(of, "name");
  const stateOf = (of) => rt.bare.state === undefined && typeof of === "object" && of !== null ? of.state : rt.get(of, "state");
  const listed = new Set(["CLOSED", "GONE"]);
  const sharedOf = (of) => rt.bare.shared === undefined && typeof of === "object" && of !== null ? of.shared : rt.get(of, "shared");
  const teamOf = (of) => rt.bare.team === undefined && typeof of === "object" && of !== null ? of.team : rt.get(of, "team");

  // scope "": resource.record.vdefault, record.yaml:1
  // record.yaml:6 not-deleted: !(R.attr.deleted == true)
  const notDeleted = (q) => {
    let it;
    return (it = deletedOf(q.R)) !== undefined && it !== true;
  };
  // record.yaml:13 none-of: none of (R.attr.deleted == true; any of (R.attr.hidden; P.attr.blocked || R.attr.locked))
  const noneOf = (q) => !(deletedOf(q.R) === true ||
    hiddenOf(q.R) === true ||
    blockedOf(q.P) === true ||
    lockedOf(q.R) === true);
  // record.yaml:26 two-unknowns-are-not-equal: R.attr.owner == P.attr.name && !(R.attr.state in ["CLOSED", "GONE"])
  const twoUnknownsAreNotEqual = (q) => {
    let it;
    return rt.equal(ownerOf(q.R), nameOf(q.P)) === true &&
      (it = stateOf(q.R)) !== undefined &&
      !listed.has(it);
  };
  // record.yaml:33 either-way: R.attr.shared ? R.attr.team == P.attr.team : !(R.attr.owner != P.id)
  const eitherWay = (q) => {
    let it;
    return ((it = sharedOf(q.R)) === true ? rt.equal(teamOf(q.R), teamOf(q.P)) === true : it === false ? ownerOf(q.R) === q.principal.id : false);
  };

  // bits of roles: 1 user
  const user = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "read": {
        // record.yaml:6 not-deleted: allow read to user when !(R.attr.deleted == true)
        if (roles & user && q.holds(first + 0, notDeleted)) return rt.ALLOW;
        return effect;
      }
      case "list": {
        // record.yaml:13 none-of: allow list to user when none of (R.attr.deleted == true; any of (R.attr.hidden; P.attr.blocked || R.attr.locked))
        if (roles & user && q.holds(first + 1, noneOf)) return rt.ALLOW;
        return effect;
      }
      case "write": {
        // record.yaml:26 two-unknowns-are-not-equal: allow write to user when R.attr.owner == P.attr.name && !(R.attr.state in ["CLOSED", "GONE"])
        if (roles & user && q.holds(first + 2, twoUnknownsAreNotEqual)) return rt.ALLOW;
        return effect;
      }
      case "move": {
        // record.yaml:33 either-way: allow move to user when R.attr.shared ? R.attr.team == P.attr.team : !(R.attr.owner != P.id)
        if (roles & user && q.holds(first + 3, eitherWay)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
