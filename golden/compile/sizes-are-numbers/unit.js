// unit resource basket@default
(rt, k) => {
  const itemsOf = (of) => rt.bare.items === undefined && typeof of === "object" && of !== null ? of.items : rt.get(of, "items");
  const giftsOf = (of) => rt.bare.gifts === undefined && typeof of === "object" && of !== null ? of.gifts : rt.get(of, "gifts");
  const size = rt.functionNamed("size", false, 1);

  // scope "": resource.basket.vdefault, basket.yaml:1
  // basket.yaml:6 few: size(R.attr.items) > 0 && size(R.attr.items) + R.attr.gifts.size() <= 20
  const few = (q) => {
    const items = itemsOf(q.R);
    return rt.sizeOf(items) > 0 && (rt.sizeOf(items) + rt.sizeOf(giftsOf(q.R), true)) <= 20;
  };
  // basket.yaml:13 not-just-one: !(R.attr.items.size() == 1)
  const notJustOne = (q) => {
    let it;
    return (it = rt.sizeOf(itemsOf(q.R), true) - 1) < 0 || it > 0;
  };
  // basket.yaml:21 checksum: size(R.attr.items) * 4611686018427387904 == 0
  const checksum = (q) => rt.multiply(size(rt.load, itemsOf(q.R)), 4611686018427387904n) === 0n;

  // bits of roles: 1 customer
  const customer = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "order": {
        // basket.yaml:6 few: allow order to customer when size(R.attr.items) > 0 && size(R.attr.items) + R.attr.gifts.size() <= 20
        if (roles & customer && q.holds(first + 0, few)) return rt.ALLOW;
        return effect;
      }
      case "split": {
        // basket.yaml:13 not-just-one: allow split to customer when !(R.attr.items.size() == 1)
        if (roles & customer && q.holds(first + 1, notJustOne)) return rt.ALLOW;
        return effect;
      }
      case "verify": {
        // basket.yaml:21 checksum: allow verify to customer when size(R.attr.items) * 4611686018427387904 == 0
        if (roles & customer && q.holds(first + 2, checksum)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
