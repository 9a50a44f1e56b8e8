// unit resource album@default
(rt, k) => {
  const actionView = rt.glob("view:*");

  // scope "": resource.album.vdefault, album.yaml:1

  // bits of roles: 1 visitor, 2 owner, 4 guest_*
  const visitor = 1;
  const owner = 2;
  const guest_ = 4;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "view:secret": {
        // album.yaml:6 rule-001: allow view:* to visitor
        if (roles & visitor) effect = rt.ALLOW;
        // album.yaml:9 rule-002: allow * to owner
        if (roles & owner) effect = rt.ALLOW;
        // album.yaml:12 rule-003: deny view:secret, delete to guest_*
        if (roles & guest_) return rt.DENY;
        return effect;
      }
      case "delete": {
        // album.yaml:9 rule-002: allow * to owner
        if (roles & owner) effect = rt.ALLOW;
        // album.yaml:12 rule-003: deny view:secret, delete to guest_*
        if (roles & guest_) return rt.DENY;
        return effect;
      }
    }
    // album.yaml:6 rule-001: allow view:* to visitor
    if (roles & visitor && actionView(action)) effect = rt.ALLOW;
    // album.yaml:9 rule-002: allow * to owner
    if (roles & owner) return rt.ALLOW;
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
