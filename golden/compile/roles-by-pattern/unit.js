// unit resource door@default
(rt, k) => {
  // scope "": resource.door.vdefault, door.yaml:1
  // door_roles.yaml:5 derived role night-shift: night_*
  const activeRoles = (q, first) => rt.rolesAmong([
    q.hasRole(["night_*"]) && "night-shift",
  ]);

  // bits of roles: 1 staff_*, 2 guard, 4 *, 8 night_*
  const staff_OrGuard = 3;
  const night_ = 8;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "open": {
        // door.yaml:8 staff-opens: allow open to staff_*, guard
        if (roles & staff_OrGuard) return rt.ALLOW;
        return effect;
      }
      case "lock": {
        // door.yaml:13 night-shift-locks: allow lock to night-shift
        if (roles & night_) return rt.ALLOW;
        return effect;
      }
      case "break": {
        // door.yaml:17 nobody-breaks: deny break to *
        return rt.DENY;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: activeRoles, decide: root, first: 0 }]] };
}
