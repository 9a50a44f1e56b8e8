// unit resource badge@default
(rt, k) => {
  const issuedOf = (of) => rt.bare.issued === undefined && typeof of === "object" && of !== null ? of.issued : rt.get(of, "issued");
  const stringToTimestamp = rt.overload("string_to_timestamp");
  const timestamp = rt.functionNamed("timestamp", false, 1);
  const stringToDuration = rt.overload("string_to_duration");
  const duration = stringToDuration("24h");
  const addTimestampDuration = rt.overload("add_timestamp_duration");
  const now = rt.functionNamed("now", false, 0);
  const getHours = rt.readingOf("getHours");
  const leftOf = (of) => rt.bare.left === undefined && typeof of === "object" && of !== null ? of.left : rt.get(of, "left");
  const enteredOf = (of) => rt.bare.entered === undefined && typeof of === "object" && of !== null ? of.entered : rt.get(of, "entered");
  const duration_2 = stringToDuration("1m");

  // scope "": resource.badge.vdefault, badge.yaml:1
  // badge.yaml:7 still-valid: timestamp(R.attr.issued) + duration("24h") > now() && now().getHours() < 18
  const stillValid = (q) => {
    let it;
    return rt.greater(addTimestampDuration((typeof (it = issuedOf(q.R)) === "string" ? stringToTimestamp(it) : timestamp(rt.load,
      it)), duration), now(q)) === true &&
      getHours(now(q)) < 18;
  };
  // badge.yaml:15 after-opening: R.attr.left - R.attr.entered > duration("1m")
  const afterOpening = (q) => rt.greater(rt.subtract(leftOf(q.R), enteredOf(q.R)), duration_2) === true;

  // bits of roles: 1 visitor
  const visitor = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "enter": {
        // badge.yaml:7 still-valid: allow enter to visitor when timestamp(R.attr.issued) + duration("24h") > now() && now().getHours() < 18
        if (roles & visitor && q.holds(first + 0, stillValid)) return rt.ALLOW;
        return effect;
      }
      case "leave": {
        // badge.yaml:15 after-opening: allow leave to visitor when R.attr.left - R.attr.entered > duration("1m")
        if (roles & visitor && q.holds(first + 1, afterOpening)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
