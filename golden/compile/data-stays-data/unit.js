// unit resource hostile "; process.exit(1); // impor t('x')@default
(rt, k) => {
  const constructorOf = (of) => rt.bare.constructor === undefined && typeof of === "object" && of !== null ? of.constructor : rt.get(of, "constructor");
  const toStringOf = (of) => rt.bare.toString === undefined && typeof of === "object" && of !== null ? of.toString : rt.get(of, "toString");
  const qOf = (of) => rt.bare.q === undefined && typeof of === "object" && of !== null ? of.q : rt.get(of, "q");

  // scope "": resource.hostile "; process.exit(1); // impor t('x').vdefault, hostile.yaml:1
  // hostile.yaml:10 eval: all of (R.attr.__proto__ == "* / eva l(1) //" && R.attr["constructor"] == V.constructor; // impor t('fs') R.attr.toString == "\u2028\"; }" || V.q == V.constructor || V.q == 1)
  const eval_2 = (q) => rt.get(q.R, "__proto__") === "*/ eval\x281\x29 \x2f/" &&
    rt.equal(constructorOf(q.R), constructorOf(q.R)) === true &&
    (toStringOf(q.R) === "\u2028\x22; }" || rt.equal(qOf(q.P), constructorOf(q.R)) === true || qOf(q.P) === 1);

  // bits of roles: 1 __proto__, 2 "</script>< !-- -- >"
  const __proto__OrScript = 3;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "\x22\x29; rt.ALLOW; \x28\x22":
      case "import\x28'fs'\x29":
      case "a\u2028b": {
        // hostile.yaml:10 eval: allow "); rt.ALLOW; (", impor t('fs'), a b to __proto__, </script>< !-- -- > when all of (R.attr.__proto__ == "* / eva l(1) //" && R.attr["constructor"] == V.constructor; // impor t('fs') R.attr.toString == "\u2028\"; }" || V.q == V.constructor || V.q == 1)
        if (roles & __proto__OrScript && q.holds(first + 1, eval_2)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
