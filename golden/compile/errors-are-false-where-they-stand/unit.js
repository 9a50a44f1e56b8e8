// unit resource record@default
(rt, k) => {
  const listed = new Set(["CLOSED", "GONE"]);

  // scope "": resource.record.vdefault, record.yaml:1
  // record.yaml:6 not-deleted: !(R.attr.deleted == true)
  const notDeleted = (q) => {
    let it;
    return (it = rt.get(q.R, "deleted")) !== undefined && it !== true;
  };
  // record.yaml:13 none-of: none of (R.attr.deleted == true; any of (R.attr.hidden; P.attr.blocked || R.attr.locked))
  const noneOf = (q) => !(rt.get(q.R, "deleted") === true ||
    rt.get(q.R, "hidden") === true ||
    rt.get(q.P, "blocked") === true ||
    rt.get(q.R, "locked") === true);
  // record.yaml:26 two-unknowns-are-not-equal: R.attr.owner == P.attr.name && !(R.attr.state in ["CLOSED", "GONE"])
  const twoUnknownsAreNotEqual = (q) => {
    let it;
    return rt.equal(rt.get(q.R, "owner"), rt.get(q.P, "name")) === true &&
      (it = rt.get(q.R, "state")) !== undefined &&
      !listed.has(it);
  };
  // record.yaml:33 either-way: R.attr.shared ? R.attr.team == P.attr.team : !(R.attr.owner != P.id)
  const eitherWay = (q) => {
    let it;
    return ((it = rt.get(q.R, "shared")) === true ? rt.equal(rt.get(q.R, "team"), rt.get(q.P, "team")) === true : it === false ? rt.get(q.R, "owner") === q.principal.id : false);
  };

  const root = (q, action, role) => {
    let effect = rt.NONE;
    switch (action) {
      case "read": {
        // record.yaml:6 not-deleted: allow read to user when !(R.attr.deleted == true)
        if (role === "user" && q.holds(0, notDeleted)) return rt.ALLOW;
        return effect;
      }
      case "list": {
        // record.yaml:13 none-of: allow list to user when none of (R.attr.deleted == true; any of (R.attr.hidden; P.attr.blocked || R.attr.locked))
        if (role === "user" && q.holds(1, noneOf)) return rt.ALLOW;
        return effect;
      }
      case "write": {
        // record.yaml:26 two-unknowns-are-not-equal: allow write to user when R.attr.owner == P.attr.name && !(R.attr.state in ["CLOSED", "GONE"])
        if (role === "user" && q.holds(2, twoUnknownsAreNotEqual)) return rt.ALLOW;
        return effect;
      }
      case "move": {
        // record.yaml:33 either-way: allow move to user when R.attr.shared ? R.attr.team == P.attr.team : !(R.attr.owner != P.id)
        if (role === "user" && q.holds(3, eitherWay)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root }]] };
}
