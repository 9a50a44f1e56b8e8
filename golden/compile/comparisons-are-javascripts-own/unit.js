// unit resource ticket@default
(rt, k) => {
  const priceOf = (of) => rt.bare.price === undefined && typeof of === "object" && of !== null ? of.price : rt.get(of, "price");
  const seatOf = (of) => rt.bare.seat === undefined && typeof of === "object" && of !== null ? of.seat : rt.get(of, "seat");
  const kindOf = (of) => rt.bare.kind === undefined && typeof of === "object" && of !== null ? of.kind : rt.get(of, "kind");
  const buyerOf = (of) => rt.bare.buyer === undefined && typeof of === "object" && of !== null ? of.buyer : rt.get(of, "buyer");
  const freeOf = (of) => rt.bare.free === undefined && typeof of === "object" && of !== null ? of.free : rt.get(of, "free");
  const askedOf = (of) => rt.bare.asked === undefined && typeof of === "object" && of !== null ? of.asked : rt.get(of, "asked");
  const departureOf = (of) => rt.bare.departure === undefined && typeof of === "object" && of !== null ? of.departure : rt.get(of, "departure");
  const nameOf = (of) => rt.bare.name === undefined && typeof of === "object" && of !== null ? of.name : rt.get(of, "name");

  // scope "": resource.ticket.vdefault, ticket.yaml:1
  // ticket.yaml:7 cheap: R.attr.price < 100 && R.attr.seat == 7 && R.attr.kind != "GROUP"
  const cheap = (q) => {
    let it, it_2;
    return typeof (it = priceOf(q.R)) === "number" &&
      it < 100 &&
      seatOf(q.R) === 7 &&
      (it_2 = kindOf(q.R)) !== undefined &&
      it_2 !== "GROUP";
  };
  // ticket.yaml:15 same-buyer: R.attr.buyer == P.id && (R.attr.price == 0.0) == R.attr.free
  const sameBuyer = (q) => {
    let it, it_2;
    return buyerOf(q.R) === q.principal.id &&
      (it_2 = ((it = priceOf(q.R)) === undefined ? undefined : it === 0)) !== undefined &&
      it_2 === freeOf(q.R);
  };
  // ticket.yaml:23 before-departure: R.attr.asked < R.attr.departure && R.attr.buyer == P.attr.name
  const beforeDeparture = (q) => rt.less(askedOf(q.R), departureOf(q.R)) === true &&
    rt.equal(buyerOf(q.R), nameOf(q.P)) === true;

  // bits of roles: 1 agent
  const agent = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "refund": {
        // ticket.yaml:7 cheap: allow refund to agent when R.attr.price < 100 && R.attr.seat == 7 && R.attr.kind != "GROUP"
        if (roles & agent && q.holds(first + 0, cheap)) return rt.ALLOW;
        return effect;
      }
      case "change": {
        // ticket.yaml:15 same-buyer: allow change to agent when R.attr.buyer == P.id && (R.attr.price == 0.0) == R.attr.free
        if (roles & agent && q.holds(first + 1, sameBuyer)) return rt.ALLOW;
        return effect;
      }
      case "cancel": {
        // ticket.yaml:23 before-departure: allow cancel to agent when R.attr.asked < R.attr.departure && R.attr.buyer == P.attr.name
        if (roles & agent && q.holds(first + 2, beforeDeparture)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
