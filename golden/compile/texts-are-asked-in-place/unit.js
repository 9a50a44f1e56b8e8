// unit resource file@default
(rt, k) => {
  const pathOf = (of) => rt.bare.path === undefined && typeof of === "object" && of !== null ? of.path : rt.get(of, "path");
  const contains = rt.functionNamed("contains", true, 2);
  const homeOf = (of) => rt.bare.home === undefined && typeof of === "object" && of !== null ? of.home : rt.get(of, "home");
  const startsWith = rt.functionNamed("startsWith", true, 2);

  // scope "": resource.file.vdefault, file.yaml:1
  // file.yaml:6 drafts: R.attr.path.startsWith("/drafts/") && !R.attr.path.endsWith(".lock") && R.id.startsWith("f")
  const drafts = (q) => {
    const path = pathOf(q.R);
    return typeof path === "string" &&
      path.startsWith("/drafts/") &&
      typeof path === "string" &&
      !path.endsWith(".lock") &&
      q.resource.id.startsWith("f");
  };
  // file.yaml:14 ours: R.attr.path.contains(P.id) || R.attr.path.startsWith(P.attr.home)
  const ours = (q) => {
    const path_2 = pathOf(q.R);
    return contains(rt.load, path_2, q.principal.id) === true ||
      startsWith(rt.load, path_2, homeOf(q.P)) === true;
  };

  // bits of roles: 1 author
  const author = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "edit": {
        // file.yaml:6 drafts: allow edit to author when R.attr.path.startsWith("/drafts/") && !R.attr.path.endsWith(".lock") && R.id.startsWith("f")
        if (roles & author && q.holds(first + 0, drafts)) return rt.ALLOW;
        return effect;
      }
      case "read": {
        // file.yaml:14 ours: allow read to author when R.attr.path.contains(P.id) || R.attr.path.startsWith(P.attr.home)
        if (roles & author && q.holds(first + 1, ours)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
