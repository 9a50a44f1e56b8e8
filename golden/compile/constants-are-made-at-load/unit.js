// unit resource contract@default
(rt, k) => {
  const timestamp = rt.functionNamed("timestamp", false, 1);
  const timestamp_2 = timestamp(rt.load, "2024-01-01T00:00:00Z");
  const now = rt.functionNamed("now", false, 0);
  const duration = rt.functionNamed("duration", false, 1);
  const duration_2 = duration(rt.load, "72h");
  const listed = new Set(["SIGNED", "ENDED", "VOID"]);
  const size = rt.functionNamed("size", false, 1);
  const matches = rt.functionNamed("matches", true, 2);

  // scope "": resource.contract.vdefault, contract.yaml:1
  // contract.yaml:6 since-then: timestamp(R.attr.at) >= timestamp("2024-01-01T00:00:00Z") && now() - timestamp(R.attr.at) < duration("72h")
  const sinceThen = (q) => rt.atLeast(timestamp(q, rt.get(q.R, "at")), timestamp_2) === true &&
    rt.less(rt.subtract(now(q), timestamp(q, rt.get(q.R, "at"))), duration_2) === true;
  // contract.yaml:13 known-states: R.attr.state in ["SIGNED", "ENDED", "VOID"] && R.attr.pages <= 9007199254740993
  const knownStates = (q) => {
    let it;
    return listed.has(rt.get(q.R, "state")) &&
      typeof (it = rt.get(q.R, "pages")) === "number" &&
      it <= 9007199254740992;
  };
  // contract.yaml:20 size: size(R.attr.pages) * 2 + 1 < 100 && R.attr["cover page"].matches("^[A-Z]+$")
  const size_2 = (q) => rt.add(rt.multiply(size(q, rt.get(q.R, "pages")), 2n), 1n) < 100n &&
    matches(q, rt.get(q.R, "cover page"), "^[A-Z]+$") === true;

  const root = (q, action, role) => {
    let effect = rt.NONE;
    switch (action) {
      case "sign": {
        // contract.yaml:6 since-then: allow sign to clerk when timestamp(R.attr.at) >= timestamp("2024-01-01T00:00:00Z") && now() - timestamp(R.attr.at) < duration("72h")
        if (role === "clerk" && q.holds(0, sinceThen)) return rt.ALLOW;
        return effect;
      }
      case "archive": {
        // contract.yaml:13 known-states: allow archive to clerk when R.attr.state in ["SIGNED", "ENDED", "VOID"] && R.attr.pages <= 9007199254740993
        if (role === "clerk" && q.holds(1, knownStates)) return rt.ALLOW;
        return effect;
      }
      case "print": {
        // contract.yaml:20 size: allow print to clerk when size(R.attr.pages) * 2 + 1 < 100 && R.attr["cover page"].matches("^[A-Z]+$")
        if (role === "clerk" && q.holds(2, size_2)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root }]] };
}
