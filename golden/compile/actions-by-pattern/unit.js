// unit resource album@default
(rt, k) => {
  const roleGuest_ = rt.glob("guest_*");
  const actionView = rt.glob("view:*");

  // scope "": resource.album.vdefault, album.yaml:1

  const root = (q, action, role) => {
    let effect = rt.NONE;
    switch (action) {
      case "view:secret": {
        // album.yaml:6 rule-001: allow view:* to visitor
        if (role === "visitor") effect = rt.ALLOW;
        // album.yaml:9 rule-002: allow * to owner
        if (role === "owner") effect = rt.ALLOW;
        // album.yaml:12 rule-003: deny view:secret, delete to guest_*
        if (roleGuest_(role)) return rt.DENY;
        return effect;
      }
      case "delete": {
        // album.yaml:9 rule-002: allow * to owner
        if (role === "owner") effect = rt.ALLOW;
        // album.yaml:12 rule-003: deny view:secret, delete to guest_*
        if (roleGuest_(role)) return rt.DENY;
        return effect;
      }
    }
    // album.yaml:6 rule-001: allow view:* to visitor
    if (role === "visitor" && actionView(action)) effect = rt.ALLOW;
    // album.yaml:9 rule-002: allow * to owner
    if (role === "owner") return rt.ALLOW;
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root }]] };
}
