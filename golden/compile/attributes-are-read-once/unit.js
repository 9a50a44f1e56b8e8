// unit resource parcel@default
(rt, k) => {
  const weightOf = (of) => rt.bare.weight === undefined && typeof of === "object" && of !== null ? of.weight : rt.get(of, "weight");
  const labelsOf = (of) => rt.bare.labels === undefined && typeof of === "object" && of !== null ? of.labels : rt.get(of, "labels");
  const depotOf = (of) => rt.bare.depot === undefined && typeof of === "object" && of !== null ? of.depot : rt.get(of, "depot");
  const nameOf = (of) => rt.bare.name === undefined && typeof of === "object" && of !== null ? of.name : rt.get(of, "name");
  const constructorOf = (of) => rt.bare.constructor === undefined && typeof of === "object" && of !== null ? of.constructor : rt.get(of, "constructor");
  const lengthOf = (of) => rt.bare.length === undefined && typeof of === "object" && of !== null ? of.length : rt.get(of, "length");

  // scope "": resource.parcel.vdefault, parcel.yaml:1
  // parcel.yaml:7 light: has(R.attr.weight) && R.attr.weight > 0.0 && R.attr.weight < 30.0
  const light = (q) => {
    const weight = weightOf(q.R);
    return (weight !== undefined) &&
      typeof weight === "number" &&
      weight > 0 &&
      typeof weight === "number" &&
      weight < 30;
  };
  // R.attr.labels.exists(label, label == P.attr.depot.name)
  const existsLabel = (q, range) => {
    const items = rt.items(range);
    if (items === undefined) return false;
    const depot = depotOf(q.P);
    const name = nameOf(depot);
    for (let at = 0; at < items.length; at++) {
      const label = items[at];
      q.step();
      if (rt.equal(label, name) === true) return true;
    }
    return false;
  };
  // parcel.yaml:15 one-of-ours: R.attr.labels.exists(label, label == P.attr.depot.name)
  const oneOfOurs = (q) => existsLabel(q, labelsOf(q.R));
  // parcel.yaml:23 own-properties: R.attr.constructor == "packer" || R.attr["length"] == 3 || R.attr["0"] == 1 || R.attr["__proto__"] == 2
  const ownProperties = (q) => constructorOf(q.R) === "packer" ||
    lengthOf(q.R) === 3 ||
    rt.get(q.R, "0") === 1 ||
    rt.get(q.R, "__proto__") === 2;

  // bits of roles: 1 clerk
  const clerk = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "send": {
        // parcel.yaml:7 light: allow send to clerk when has(R.attr.weight) && R.attr.weight > 0.0 && R.attr.weight < 30.0
        if (roles & clerk && q.holds(first + 0, light)) return rt.ALLOW;
        return effect;
      }
      case "open": {
        // parcel.yaml:15 one-of-ours: allow open to clerk when R.attr.labels.exists(label, label == P.attr.depot.name)
        if (roles & clerk && q.holds(first + 1, oneOfOurs)) return rt.ALLOW;
        return effect;
      }
      case "weigh": {
        // parcel.yaml:23 own-properties: allow weigh to clerk when R.attr.constructor == "packer" || R.attr["length"] == 3 || R.attr["0"] == 1 || R.attr["__proto__"] == 2
        if (roles & clerk && q.holds(first + 2, ownProperties)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
