// unit resource hostile "; process.exit(1); // impor t('x')@default
(rt, k) => {
  // scope "": resource.hostile "; process.exit(1); // impor t('x').vdefault, hostile.yaml:1
  // hostile.yaml:10 eval: all of (R.attr.__proto__ == "* / eva l(1) //" && R.attr["constructor"] == V.constructor; // impor t('fs') R.attr.toString == "\u2028\"; }" || V.q == V.constructor || V.q == 1)
  const eval_2 = (q) => rt.get(q.R, "__proto__") === "*/ eval\x281\x29 \x2f/" &&
    rt.equal(rt.get(q.R, "constructor"), rt.get(q.R, "constructor")) === true &&
    (rt.get(q.R, "toString") === "\u2028\x22; }" ||
      rt.equal(rt.get(q.P, "q"), rt.get(q.R, "constructor")) === true ||
      rt.get(q.P, "q") === 1);

  const root = (q, action, role) => {
    let effect = rt.NONE;
    switch (action) {
      case "\x22\x29; rt.ALLOW; \x28\x22":
      case "import\x28'fs'\x29":
      case "a\u2028b": {
        // hostile.yaml:10 eval: allow "); rt.ALLOW; (", impor t('fs'), a b to __proto__, </script>< !-- -- > when all of (R.attr.__proto__ == "* / eva l(1) //" && R.attr["constructor"] == V.constructor; // impor t('fs') R.attr.toString == "\u2028\"; }" || V.q == V.constructor || V.q == 1)
        if ((role === "__proto__" || role === "\x3c/script\x3e\x3c!-- --\x3e") && q.holds(1, eval_2)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root }]] };
}
