// unit resource contract@default
(rt, k) => {
  const atOf = (of) => rt.bare.at === undefined && typeof of === "object" && of !== null ? of.at : rt.get(of, "at");
  const stringToTimestamp = rt.overload("string_to_timestamp");
  const timestamp = rt.functionNamed("timestamp", false, 1);
  const timestamp_2 = stringToTimestamp("2024-01-01T00:00:00Z");
  const now = rt.functionNamed("now", false, 0);
  const subtractTimestampTimestamp = rt.overload("subtract_timestamp_timestamp");
  const stringToDuration = rt.overload("string_to_duration");
  const duration = stringToDuration("72h");
  const stateOf = (of) => rt.bare.state === undefined && typeof of === "object" && of !== null ? of.state : rt.get(of, "state");
  const listed = new Set(["SIGNED", "ENDED", "VOID"]);
  const pagesOf = (of) => rt.bare.pages === undefined && typeof of === "object" && of !== null ? of.pages : rt.get(of, "pages");
  const coverPageOf = (of) => rt.bare["cover page"] === undefined && typeof of === "object" && of !== null ? of["cover page"] : rt.get(of, "cover page");
  const matches = rt.functionNamed("matches", true, 2);

  // scope "": resource.contract.vdefault, contract.yaml:1
  // contract.yaml:6 since-then: timestamp(R.attr.at) >= timestamp("2024-01-01T00:00:00Z") && now() - timestamp(R.attr.at) < duration("72h")
  const sinceThen = (q) => {
    const at = atOf(q.R);
    return rt.atLeast((typeof at === "string" ? stringToTimestamp(at) : timestamp(rt.load, at)), timestamp_2) === true &&
      rt.less(subtractTimestampTimestamp(now(q), (typeof at === "string" ? stringToTimestamp(at) : timestamp(rt.load,
        at))), duration) === true;
  };
  // contract.yaml:13 known-states: R.attr.state in ["SIGNED", "ENDED", "VOID"] && R.attr.pages <= 9007199254740993
  const knownStates = (q) => {
    let it;
    return listed.has(stateOf(q.R)) && typeof (it = pagesOf(q.R)) === "number" && it <= 9007199254740992;
  };
  // contract.yaml:20 size: size(R.attr.pages) * 2 + 1 < 100 && R.attr["cover page"].matches("^[A-Z]+$")
  const size = (q) => ((rt.sizeOf(pagesOf(q.R)) * 2) + 1) < 100 &&
    matches(rt.load, coverPageOf(q.R), "^[A-Z]+$") === true;

  // bits of roles: 1 clerk
  const clerk = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "sign": {
        // contract.yaml:6 since-then: allow sign to clerk when timestamp(R.attr.at) >= timestamp("2024-01-01T00:00:00Z") && now() - timestamp(R.attr.at) < duration("72h")
        if (roles & clerk && q.holds(first + 0, sinceThen)) return rt.ALLOW;
        return effect;
      }
      case "archive": {
        // contract.yaml:13 known-states: allow archive to clerk when R.attr.state in ["SIGNED", "ENDED", "VOID"] && R.attr.pages <= 9007199254740993
        if (roles & clerk && q.holds(first + 1, knownStates)) return rt.ALLOW;
        return effect;
      }
      case "print": {
        // contract.yaml:20 size: allow print to clerk when size(R.attr.pages) * 2 + 1 < 100 && R.attr["cover page"].matches("^[A-Z]+$")
        if (roles & clerk && q.holds(first + 2, size)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
