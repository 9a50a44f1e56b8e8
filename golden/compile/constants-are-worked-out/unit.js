// unit resource session@default
(rt, k) => {
  const ageOf = (of) => rt.bare.age === undefined && typeof of === "object" && of !== null ? of.age : rt.get(of, "age");
  const realmOf = (of) => rt.bare.realm === undefined && typeof of === "object" && of !== null ? of.realm : rt.get(of, "realm");
  const levelOf = (of) => rt.bare.level === undefined && typeof of === "object" && of !== null ? of.level : rt.get(of, "level");

  // scope "": resource.session.vdefault, session.yaml:1
  // session.yaml:6 younger-than-a-day: R.attr.age < 24 * 60 * 60 && R.attr.realm == "acme" + ".test" && !(R.attr.level == size("abc"))
  const youngerThanADay = (q) => {
    let it, it_2;
    return typeof (it = ageOf(q.R)) === "number" &&
      it < 86400 &&
      realmOf(q.R) === "acme.test" &&
      (it_2 = levelOf(q.R)) !== undefined &&
      it_2 !== 3;
  };
  // session.yaml:14 never: R.attr.age < 1 / 0 || R.attr.realm == "acme"
  const never = (q) => rt.less(ageOf(q.R), rt.divide(1n, 0n)) === true || realmOf(q.R) === "acme";

  // bits of roles: 1 user
  const user = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "renew": {
        // session.yaml:6 younger-than-a-day: allow renew to user when R.attr.age < 24 * 60 * 60 && R.attr.realm == "acme" + ".test" && !(R.attr.level == size("abc"))
        if (roles & user && q.holds(first + 0, youngerThanADay)) return rt.ALLOW;
        return effect;
      }
      case "end": {
        // session.yaml:14 never: allow end to user when R.attr.age < 1 / 0 || R.attr.realm == "acme"
        if (roles & user && q.holds(first + 1, never)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
