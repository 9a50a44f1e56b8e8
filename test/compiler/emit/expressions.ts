/** Expressions that compile: every construct, every outcome, and every trap of cel.md. */
export const checkedExpressions: readonly string[] = [
  // literals and names
  "true", "false", "null", "1", "-1", "2u", "1.5", "\"a\"", "b\"a\\xff\"", "[1, 2]", "[1.5, R.attr.n]", "{\"a\": 1, \"b\": R.attr.n}", "{1: 2}[1]",
  "[]", "{}", "[[1], [2]]", "[R.attr.missing]", "{\"a\": R.attr.missing}", "{R.attr.s: 1}", "{\"a\": 1, \"a\": 2}", "int", "string", "type(1) == int", "type(R.attr.n) == double",
  "P.id", "P.roles", "R.kind", "R.id", "P.attr", "R.attr", "request.principal.id == P.id", "request.resource.attr.n == R.attr.n",
  "P.policyVersion", "P.policy_version", "P.scope", "R.scope == \"\"", "R.policyVersion", "request.auxData.jwt", "request.aux_data.jwt.n == 5",
  "has(request.auxData)", "has(R.attr)", "has(P.scope)", "has(P.policyVersion)", "has(request.auxData.jwt)", "has(request.auxData.jwt.n)", "has(R.scope)", "has(R.id)",
  "request.auxData.jwts", "request.auxData.jwts.main.claims.n", "has(request.auxData.jwts.main)", "has(request.auxData.jwts.other)", "request.auxData.jwts.main.claims.n == 5",
  "runtime.effectiveDerivedRoles", "\"owner\" in runtime.effectiveDerivedRoles", "runtime.effective_derived_roles.exists(r, r == \"x\")",
  "R", "P == P", "R == R", "request == request", "[R] == [R]", "type(R) == type(P)", "request.auxData == request.auxData", "runtime == runtime",
  // attributes: each kind, each trouble
  "R.attr.n", "R.attr.o", "R.attr.o.k", "R.attr.o.k.k", "R.attr.missing", "R.attr.missing.deeper", "R.attr.l.length", "R.attr.s.length", "R.attr.n.x",
  "R.attr[\"n\"]", "R.attr[\"o\"][\"k\"]", "R.attr.o[R.attr.s]", "R.attr.l[0]", "R.attr.l[1.0]", "R.attr.l[R.attr.i]", "R.attr.l[5]", "R.attr.l[-1]", "R.attr.l[\"0\"]", "R.attr.l[0u]",
  "R.attr[R.attr.t]", "P.roles[0]", "P.roles[1]", "P.roles[R.attr.i]", "[1, 2][R.attr.i]", "{\"k\": 1}[R.attr.t]", "R.attr.s[0]", "R.attr.o[0]",
  "R.attr.__proto__", "R.attr.constructor", "R.attr.toString", "R.attr.length", "R.attr.hasOwnProperty", "R.attr.__proto__.polluted", "R.attr.o.__proto__", "R.attr.o.length",
  "has(R.attr.__proto__)", "has(R.attr.constructor)", "has(R.attr.toString)", "has(R.attr.length)", "has(R.attr.hasOwnProperty)", "has(R.attr.o.__proto__)", "has(R.attr.o.constructor)", "has(R.attr.l.length)",
  "R.attr[\"__proto__\"]", "R.attr[\"constructor\"]", "\"__proto__\" in R.attr", "\"constructor\" in R.attr", "\"toString\" in R.attr.o", "R.attr.constructor == \"c\"", "R.attr.valueOf == null",
  "P.attr.__proto__.n == 5", "{\"constructor\": 1}.constructor", "{\"a\": 1}.constructor", "{\"a\": 1}[\"__proto__\"]", "has({\"a\": 1}.toString)",
  "has(R.attr.n)", "has(R.attr.z)", "has(R.attr.o.k)", "has(R.attr.missing.k)", "has(R.attr.l.k)", "has(R.attr.s.k)", "!has(R.attr.n)", "!has(R.attr.o.k)",
  // equality
  "R.attr.n == 5", "R.attr.n == 5.0", "R.attr.n == 5u", "R.attr.n != 5", "5 == R.attr.n", "R.attr.s == \"abc\"", "\"abc\" != R.attr.s", "R.attr.b == true", "R.attr.b != false", "R.attr.z == null", "R.attr.z != null",
  "!(R.attr.n == 5)", "!(R.attr.n != 5)", "!(R.attr.s == \"abc\")", "R.attr.n == R.attr.m", "R.attr.n != R.attr.m", "R.attr.missing == R.attr.gone", "!(R.attr.missing == R.attr.gone)", "R.attr.missing != R.attr.gone", "!(R.attr.missing != R.attr.gone)",
  "R.attr.m == 9007199254740992", "R.attr.m == 9007199254740993", "R.attr.i == 9223372036854775807", "dyn(9223372036854775807) == 9223372036854775808.0", "9007199254740993 == dyn(9007199254740992.0)",
  "dyn(1) == 1.0", "dyn(1u) == 1", "dyn(\"1\") == 1", "1 == 1", "\"a\" == \"b\"", "R.id == P.id", "!(R.id == P.id)", "R.id != P.id", "R.attr.l == [\"a\", \"b\", 1, null]", "R.attr.o == {\"k\": 1}", "R.attr.o == {}", "R.attr.l == []",
  "[1, 2] == [1, 2]", "{\"a\": 1} == {\"a\": 1}", "b\"a\" == b\"a\"", "R.attr.o == R.attr.o", "R.attr == P.attr", "type(R.attr.n) == type(R.attr.m)", "double(\"NaN\") == double(\"NaN\")", "double(\"NaN\") != double(\"NaN\")", "R.attr.n == double(\"NaN\")",
  "(R.attr.n == 5) == true", "(R.attr.n == 5) == (R.attr.b == true)", "R.attr.b == (R.attr.n > 1)", "size(R.attr.l) == 4", "size(R.attr.l) == size(P.roles)", "int(R.attr.n) == 5", "int(R.attr.n) == int(R.attr.m)",
  // order
  "R.attr.n < 6", "R.attr.n <= 5", "R.attr.n > 4", "R.attr.n >= 5.0", "6 > R.attr.n", "4 < R.attr.n", "R.attr.n < 3u", "!(R.attr.n < 6)", "!(R.attr.n >= 5)", "!(6 > R.attr.n)",
  "R.attr.s < \"b\"", "R.attr.s >= \"abc\"", "!(R.attr.s < \"b\")", "\"\\U0001F600\" > \"\\uFFFF\"", "R.attr.t > R.attr.s", "R.attr.n < R.attr.m", "R.attr.b < true", "R.attr.l < R.attr.l", "1 < 2", "1 < 1.5", "1u < 2", "1.5 > 1u", "b\"a\" < b\"b\"", "true > false",
  "double(R.attr.s) < 1.0", "!(double(\"NaN\") < 1.0)", "double(\"NaN\") >= 1.0", "size(R.attr.l) > 2", "size(R.attr.l) > R.attr.n", "size(R.attr.s) <= 3 && size(R.attr.s) >= 0", "int(R.attr.n) < int(R.attr.m)", "!(size(R.attr.l) > 2)", "size(R.attr.missing) < 1",
  "timestamp(R.attr.s) > timestamp(\"2024-01-01T00:00:00Z\")", "duration(R.attr.t) < duration(\"2h\")", "!(duration(R.attr.t) < duration(\"2h\"))", "timestamp(\"bad\" + R.attr.t) > timestamp(\"2024-01-01T00:00:00Z\")",
  // in
  "R.attr.n in [5, 6]", "R.attr.n in [5.0]", "R.attr.n in [5u]", "!(R.attr.n in [5, 6])", "R.attr.s in [\"abc\", \"x\"]", "!(R.attr.s in [\"abc\", \"x\"])", "R.attr.b in [true]", "R.attr.z in [null, null]", "R.attr.n in []", "R.attr.t in [\"\", \"b\"]",
  "R.kind in [\"expense\", \"leave\"]", "!(R.kind in [\"leave\"])", "P.id in R.attr.l", "!(P.id in R.attr.l)", "\"a\" in R.attr.l", "\"k\" in R.attr.o", "1 in R.attr.o", "R.attr.i in {1: \"a\", 2: \"b\"}", "R.attr.s in {\"abc\": 1}", "R.attr.missing in [1]", "!(R.attr.missing in [1])", "1 in R.attr.missing",
  "size(R.attr.l) in [4, 0]", "!(size(R.attr.l) in [4, 0])", "R.attr.n in [R.attr.m, 5]", "R.attr.n in [R.attr.missing, 5]", "dyn(1) in [1.0]", "R.attr.m in [9007199254740993]", "R.attr.b in [true, false]", "R.attr.o in [{\"k\": 1}]", "\"user\" in P.roles", "(R.attr.n in [5]) in [true]",
  "!((R.attr.n in [5]) in [true, false])", "R.attr.l[0] in [\"a\", \"true\"]", "\"x\" in R.attr.s",
  // logic: errors beside both booleans
  "R.attr.b && R.attr.c", "R.attr.b || R.attr.c", "!R.attr.b", "!(R.attr.b && R.attr.c)", "!(R.attr.b || R.attr.c)", "R.attr.s || true", "R.attr.s && false", "R.attr.missing || true", "R.attr.missing && false", "true || R.attr.missing", "false && R.attr.missing",
  "R.attr.missing || false", "R.attr.missing && true", "!(R.attr.missing || true)", "!(R.attr.missing && false)", "!!(R.attr.b)", "!(!R.attr.s)", "R.attr.b && R.attr.missing && R.attr.c", "R.attr.b || R.attr.missing || R.attr.c", "R.attr.b && (R.attr.c || R.attr.missing)", "(R.attr.b && R.attr.c) || (R.attr.missing && R.attr.b)",
  "!(R.attr.b && (R.attr.c || !R.attr.missing))", "(R.attr.b && R.attr.c) == false", "(R.attr.b || R.attr.missing) == true", "[R.attr.b && R.attr.c, R.attr.b || R.attr.c]", "!R.attr.b == R.attr.c", "(!R.attr.n) == true", "1 / 0 == 1 || true", "1 / 0 == 1 && false", "1 / 0 == 1", "!(1 / 0 == 1)",
  // choice
  "R.attr.b ? 1 : 2", "R.attr.b ? R.attr.n : R.attr.m", "R.attr.b ? R.attr.c : R.attr.missing", "R.attr.missing ? true : false", "!(R.attr.b ? R.attr.c : true)", "R.attr.s ? true : true", "(R.attr.n > 1 ? R.attr.b : R.attr.c) == true", "R.attr.b ? (R.attr.c ? 1 : 2) : 3", "true ? R.attr.missing : 1", "false ? R.attr.missing == 1 : true",
  "has(R.attr.n) ? R.attr.n > 3 : R.attr.b", "!(has(R.attr.n) ? R.attr.n > 3 : R.attr.b)", "(R.attr.b && R.attr.c ? \"x\" : \"y\") == \"y\"", "R.attr.b ? (R.attr.c ? true : false) : R.attr.c ? false : true", "R.kind == \"expense\" ? R.attr.n : 0", "R.kind == \"expense\" ? R.id : \"none\"",
  // arithmetic
  "R.attr.n + 1.0", "R.attr.n + 1", "R.attr.n + R.attr.m", "R.attr.s + \"x\"", "R.attr.s + R.attr.t", "R.attr.l + [1]", "R.attr.l + R.attr.l", "R.attr.n - 1.0", "R.attr.n * 2.0", "R.attr.n / 0.0", "R.attr.n % 2", "int(R.attr.n) % 2", "-R.attr.n", "-R.attr.s", "1 + 2", "5 % -3", "-5 / 2", "1 - 2 * 3",
  "9223372036854775807 + 1", "9223372036854775807 * 2 == 1", "-9223372036854775808", "1u - 2u", "1u + 2u == 3u", "5.0 / 0.0", "-(R.attr.n + 1.0) < 0.0", "R.attr.n + 1.0 > 5.0", "!(R.attr.n + 1.0 > 5.0)", "R.attr.s + \"x\" == \"abcx\"", "[1] + [2] == [1, 2]", "b\"a\" + b\"b\"", "int(R.attr.n) + 1 == 6", "-(1)", "-(-1.5)", "- R.attr.n == -5.0", "size(R.attr.l) * 2 + 1",
  // macros
  "R.attr.l.exists(x, x == \"a\")", "R.attr.l.exists(x, x > 0)", "!R.attr.l.exists(x, x > 0)", "R.attr.l.all(x, x == \"a\")", "R.attr.l.all(x, x > 0)", "!R.attr.l.all(x, x > 0)", "R.attr.l.exists_one(x, x == \"a\")", "R.attr.l.exists_one(x, x > 0)", "R.attr.l.existsOne(x, x == \"a\")",
  "R.attr.l.map(x, x)", "R.attr.l.map(x, x + \"!\")", "R.attr.l.map(x, x == \"a\", x)", "R.attr.l.filter(x, x == \"a\")", "R.attr.l.filter(x, x > 0)", "R.attr.l.filter(x, x == 1).size() == 1", "R.attr.o.exists(k, k == \"k\")", "R.attr.o.all(k, k == \"k\")", "R.attr.o.map(k, k)", "R.attr.o.filter(k, R.attr.o[k] == 1)",
  "R.attr.missing.exists(x, true)", "R.attr.missing.all(x, false)", "R.attr.n.exists(x, true)", "R.attr.n.all(x, true)", "!R.attr.n.all(x, true)", "[].exists(x, R.attr.missing)", "[].all(x, R.attr.missing)", "[1, 2, 5].exists(v, v > 2)", "[1, 2].all(v, v < R.attr.n)", "[1, 2].map(v, v * 2)", "[\"a\", \"b\"].exists(v, v in R.attr.l)", "[true, false].exists(v, v)",
  "R.attr.l.exists(x, R.attr.l.exists(y, x == y))", "R.attr.l.exists(x, P.roles.exists(x, x == \"user\"))", "R.attr.l.all(x, R.attr.l.exists(y, y == x && !(y == null)))", "P.roles.exists(r, r in [\"manager\", \"x\"])", "!P.roles.exists(r, r in [\"manager\", \"x\"])", "P.roles.all(r, r.startsWith(\"u\"))", "R.attr.l.map(x, [x]).map(y, y[0])", "{\"a\": 1, \"b\": 2}.exists(k, k == \"b\")", "{\"a\": 1}.map(k, k)",
  "R.attr.l.exists(x, x ? true : false)", "R.attr.l.exists(x, x.k == 1)", "R.attr.l.exists(i, x, i == 1 && x == \"b\")", "!R.attr.l.all(i, x, i < 2 || x == null)", "R.attr.o.exists(k, v, k == \"k\" && v == 1)", "R.attr.o.all(k, v, v == 1)", "R.attr.l.exists_one(i, x, x == \"a\")", "R.attr.l.transformList(i, x, i)", "R.attr.l.transformList(i, x, i > 0, x)", "R.attr.o.transformMap(k, v, v)", "R.attr.o.transformMap(k, v, k == \"k\", v)", "R.attr.o.transformMapEntry(k, v, {v: k})", "R.attr.l.transformMap(i, x, x)", "[1, 2, 3].transformMapEntry(i, v, {\"x\": v})",
  "(R.attr.l.exists(x, x == \"a\")) == true", "[R.attr.l.all(x, x != 5)]", "R.attr.l.exists(x, x == \"a\") && R.attr.l.all(x, x != \"q\")", "R.attr.l.exists(x, x == R.attr.missing || x == \"a\")",
  "cel.bind(x, R.attr.n, x == 5 || x == 1)", "cel.bind(x, R.attr.missing, true)", "cel.bind(x, R.attr.missing, x == 1 || R.attr.b)", "!cel.bind(x, R.attr.b, x && x)", "cel.bind(x, R.attr.l, x.exists(y, y == x[0]))", "cel.bind(x, 1, x + x)", "cel.bind(x, R.attr.n, cel.bind(y, x, x == y))", "R.attr.l.exists(e, cel.bind(x, e, x == \"a\"))", "cel.bind(x, R.attr.b && R.attr.c, x)", "cel.bind(x, R.attr.n, x)",
  // functions
  "R.attr.s.startsWith(\"a\")", "!R.attr.s.startsWith(\"a\")", "R.attr.s.endsWith(R.attr.t)", "R.attr.s.contains(\"b\")", "R.attr.s.size() == 3", "size(R.attr.s)", "size(R.attr.l)", "size(R.attr.o)", "size(P.roles) > 1", "R.attr.n.startsWith(\"a\")", "R.attr.missing.startsWith(\"a\")",
  "R.attr.s.matches(\"^a.*\")", "!R.attr.s.matches(\"^a.*\")", "matches(R.attr.s, \"[\" + R.attr.t)", "string(R.attr.n)", "string(1000000.0)", "int(R.attr.s)", "double(R.attr.n)", "uint(R.attr.n)", "bool(R.attr.b)", "timestamp(\"2024-01-01T00:00:00Z\").getFullYear() == 2024", "timestamp(R.attr.s).getHours()", "duration(\"1h\") + duration(\"1m\")", "type(R.attr.l)", "dyn(R.attr.b)", "!dyn(R.attr.b)", "dyn(R.attr.b) ? 1 : 2",
  "\"abc\".size() == 3", "string(timestamp(\"2024-01-01T00:00:00Z\"))", "now() > timestamp(\"2020-01-01T00:00:00Z\")", "timestamp(R.attr.s).timeSince() > duration(\"1h\")", "[1, 2, 3].size() == 3", "size({\"a\": 1}) == 1", "int(\"5\") + 1", "{\"a\": [1, 2]}.a[1]", "{\"a\": timestamp(\"2024-01-01T00:00:00Z\")}.a.getMonth()",
];

/** Expressions that read V, C and G; see `surroundings` in the test. */
export const namedExpressions: readonly string[] = [
  "V.small", "!V.small", "V.small && V.broken", "V.small || V.broken", "V.broken", "has(V.broken)", "!has(V.broken)", "has(V.small)", "V.total > 10.0", "!(V.total > 10.0)", "V.twice == V.twice", "V.twice + V.twice", "V.list.exists(x, x == V.first)", "V.first == V.first", "V.chain",
  "V.small ? V.first : V.total", "R.attr.l.exists(x, x == V.first)", "variables.small == V.small", "V.recursive.deep", "V.shadow && [1].exists(V, V == 1)", "cel.bind(R, 5, R == 5) && R.kind == \"expense\"", "V.flag && V.flag", "!(V.flag && V.small)", "V.bound",
  "C.limit", "R.attr.n < C.limit", "R.attr.n == C.limit", "R.attr.s in C.names", "C.names.exists(n, n == R.attr.s)", "C.nested.a.b == 1", "C.nested.missing", "has(C.limit)", "C.proto.__proto__", "C.nothing == null", "C.yes", "!C.yes", "C.yes && R.attr.b", "constants.limit + 1.0", "C.names[0] == R.attr.s", "C.limit == 5",
  "G.n + 1 == 6", "G.n == 5", "R.attr.n == G.n", "G.missing", "has(G.missing)", "has(G.n)", "G.o.k", "G.s + \"x\"", "R.attr.n < G.n", "globals.n > 1", "G.__proto__", "G.toString", "!(G.b)", "G.b && R.attr.b", "R.attr.s in G.list", "G.n in [5, 6]", "G.u == 7u", "G.n % 2 == 1", "-G.n", "G.n < 5.5",
  "[V].size() == 1", "V == V", "C == C", "type(V) == type(V)", "G == G", "[C, V].size() == 2",
];

/** Expressions that only an unchecked tree lets through: what dyn values do at run time. */
export const uncheckedExpressions: readonly string[] = [
  "1 == 1.0", "1 == \"1\"", "null == 1", "1 + 1.0", "\"a\" && false", "1 || true", "1 ? 2 : 3", "!1", "!null", "true && 1", "false || 1", "1 in [1.0]", "\"1\" in [1]", "[1, \"a\"] == [1.0, \"a\"]", "{\"a\": 1} == {\"a\": 1.0}", "1.0 in [1, 2]", "true ? 1 : \"a\"", "nothing", "nothing.at.all", "nothing == nothing", "nothing || true", "nosuch(1)", "R.nosuch", "has(R.nosuch)", "request.nosuch.x",
  "true < 1", "null < null", "[1] < [2]", "{} < {}", "\"a\" + 1", "[] + 1", "-true", "-\"a\"", "5[0]", "\"a\"[0]", "null.x", "has(null.x)", "has([].x)", "{1.5: 1}", "{null: 1}", "{[]: 1}", "1.exists(x, true)", "\"abc\".all(x, true)", "null.map(x, x)", "[1, 2].map(x, y)", "[1].exists(x, x)", "[1].all(x, x)", "[1].filter(x, x)", "[1].exists_one(x, x)", "size(1)", "size(null)", "1.size()", "int(null)",
];
