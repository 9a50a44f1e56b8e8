// unit resource note@default
(rt, k) => {
  const openOf = (of) => rt.bare.open === undefined && typeof of === "object" && of !== null ? of.open : rt.get(of, "open");

  // scope "": resource.note.vdefault, note.yaml:1
  // note.yaml:13 partly: R.attr.open == true
  const partly = (q) => openOf(q.R) === true;
  // note.yaml:23 never-but-its-error-is-told: 1 / 0 == 1
  const neverButItsErrorIsTold = (q) => rt.divide(1n, 0n) === 1n;
  // note.yaml:30 no-boolean: "true"
  const noBoolean = (q) => false;

  // bits of roles: 1 user
  const user = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "read": {
        // note.yaml:6 always: allow read to user
        if (roles & user) return rt.ALLOW;
        return effect;
      }
      case "write": {
        // note.yaml:13 partly: allow write to user when R.attr.open == true
        if (roles & user && q.holds(first + 0, partly)) return rt.ALLOW;
        return effect;
      }
      case "delete": {
        // note.yaml:23 never-but-its-error-is-told: allow delete to user when 1 / 0 == 1
        if (roles & user && q.holds(first + 1, neverButItsErrorIsTold)) return rt.ALLOW;
        return effect;
      }
      case "print": {
        // note.yaml:30 no-boolean: allow print to user when "true"
        if (roles & user && q.holds(first + 2, noBoolean)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
