/** Attacks that pass the gate: what each does is counted, and costs far more than it seems to. */

/** A program that the gate admits, what is asked of it, and how the check ends. */
export interface Heavy {
  readonly it: string;
  readonly program: string;
  /** Besides the scope, which comes last. */
  readonly constants?: readonly (string | readonly string[])[];
  readonly attr?: object;
  readonly roles?: readonly string[];
  /** The derived roles are to be told. */
  readonly includeMeta?: boolean;
  readonly action?: string;
  /** How many resources are asked about. */
  readonly times?: number;
}

/** A policy, and what is asked of it. */
export interface HeavyPolicy {
  readonly it: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly condition: string;
  readonly attr: object;
}

const repeated = (text: (at: number) => string, times: number, glue: string): string =>
  Array.from({ length: times }, (_, at) => text(at)).join(glue);

/** A program of these declarations, whose rows are these statements; its names are numbered from `n0` on. */
function program(declarations: readonly string[], statements: string, constants = 0, derivedRoles = "rt.noRoles"): string {
  const names = repeated((at) => `k${at}`, constants + 1, ", ");
  const next = 1 + Math.max(-1, ...[...declarations.join().matchAll(/\bn(\d+)\b/g)].map(([, number]) => Number(number)));
  return `(rt, k) => {
const [${names}] = k;
${declarations.map((declaration) => `${declaration}\n`).join("")}const n${next} = (q, action, roles, first) => {
let effect = rt.NONE;
${statements}
return effect;
};
return { scopes: [[k${constants}, { derivedRoles: ${derivedRoles}, decide: n${next}, first: 0 }]] };
}`;
}

/** The function of a loop, with names from a number on. */
const loop = (from: number, body: (item: string) => string): string => {
  const [name, range, items, at, item] = [0, 1, 2, 3, 4].map((plus) => `n${from + plus}`);
  return `const ${name} = (q, ${range}) => {
const ${items} = rt.items(${range});
if (${items} === undefined) return false;
for (let ${at} = 0; ${at} < ${items}.length; ${at}++) {
const ${item} = ${items}[${at}];
q.step();
if (${body(item ?? "")}) return true;
}
return false;
};`;
};

const list = 'rt.get(q.R, "list")';
const numbers = (length: number): object => ({ list: Array.from({ length }, (_, at) => at) });
const comparison = 'rt.equal(q.R, rt.get(q.R, "x")) === true';

export const heavy: readonly Heavy[] = [
  {
    it: "the body of a loop is hundreds of kilobytes long",
    program: program(
      [loop(0, (item) => repeated(() => `rt.equal(${item}, q.R) === true`, 20_000, " || ")), `const n5 = (q) => n0(q, ${list});`],
      "if (q.holds(first + 0, n5)) effect = rt.ALLOW;",
    ),
    attr: numbers(3_000),
  },
  {
    it: "the function that the runtime calls in each turn is hundreds of kilobytes long",
    program: program(
      [`const n0 = (q) => rt.some(q, ${list}, (n1) => ${repeated(() => "rt.equal(n1, q.R) === true", 20_000, " || ")});`],
      "if (q.holds(first + 0, n0)) effect = rt.ALLOW;",
    ),
    attr: numbers(3_000),
  },
  {
    it: "a condition of hundreds of kilobytes, asked for each of thousands of resources",
    program: program(
      [`const n0 = (q) => ${repeated(() => comparison, 15_000, " || ")};`],
      "if (q.holds(first + 0, n0)) effect = rt.ALLOW;",
    ),
    times: 5_000,
  },
  {
    it: "one long condition under many numbers",
    program: program(
      [`const n0 = (q) => ${repeated(() => comparison, 400, " || ")};`],
      repeated((at) => `if (q.holds(first + ${at}, n0)) effect = rt.ALLOW;`, 2_000, "\n"),
    ),
    times: 200,
  },
  {
    it: "rows that are hundreds of kilobytes long, of a policy that says it has one",
    program: program(
      ["const n0 = (q) => true;"],
      repeated(() => "if (!q.holds(first + 0, n0)) effect = rt.ALLOW;", 15_000, "\n"),
    ),
    times: 5_000,
  },
  {
    it: "rows that fall through from one action to the next",
    program: program(
      [],
      `switch (action) {\n${repeated((at) => `case k${at}: {\n${repeated(() => "effect = rt.ALLOW;", 2_000, "\n")}\n}`, 20, "\n")}\n}`,
      20,
    ),
    constants: Array.from({ length: 20 }, (_, at) => (at === 0 ? "view" : `action ${at}`)),
    times: 5_000,
  },
  {
    it: "constants that are long texts, compared in each turn",
    program: program(
      ["const n0 = k0;", "const n1 = k1;", loop(2, (item) => `n0 === n1 || ${item} === undefined`), `const n7 = (q) => n2(q, ${list});`],
      "if (q.holds(first + 0, n7)) effect = rt.ALLOW;",
      2,
    ),
    constants: [`${"a".repeat(4_000_000)}b`, `${"a".repeat(4_000_000)}c`],
    attr: numbers(50_000),
  },
  {
    it: "texts that are made longer and longer, compared in each turn",
    program: program(
      [
        `const n0 = (q) => rt.get(q.R, "text");`,
        ...Array.from({ length: 10 }, (_, at) => `const n${at + 1} = (q) => rt.add(q.variable(${at}, n${at}), q.variable(${at}, n${at}));`),
        `const n11 = (q) => rt.add(q.variable(10, n10), rt.get(q.R, "a"));`,
        `const n12 = (q) => rt.add(q.variable(10, n10), rt.get(q.R, "b"));`,
        loop(13, (item) => `q.variable(11, n11) === q.variable(12, n12) || ${item} === undefined`),
        `const n18 = (q) => n13(q, ${list});`,
      ],
      "if (q.holds(first + 0, n18)) effect = rt.ALLOW;",
    ),
    attr: { ...numbers(50_000), text: "x".repeat(10_000), a: "a", b: "b" },
  },
  {
    it: "a text that is made, compared many times in one long condition",
    program: program(
      [
        `const n0 = (q) => rt.get(q.R, "text");`,
        ...Array.from({ length: 10 }, (_, at) => `const n${at + 1} = (q) => rt.add(q.variable(${at}, n${at}), q.variable(${at}, n${at}));`),
        `const n11 = (q) => rt.add(q.variable(10, n10), rt.get(q.R, "a"));`,
        `const n12 = (q) => rt.add(q.variable(10, n10), rt.get(q.R, "b"));`,
        `const n13 = (q) => ${repeated(() => "q.variable(11, n11) === q.variable(12, n12)", 15_000, " || ")};`,
      ],
      "if (q.holds(first + 0, n13)) effect = rt.ALLOW;",
    ),
    attr: { text: "x".repeat(10_000), a: "a", b: "b" },
  },
  {
    it: "a pattern that the policy does not say it has, for a long action",
    program: program(
      ["const n0 = rt.glob(k0);"],
      repeated(() => "if (n0(action)) effect = rt.ALLOW;", 2_000, "\n"),
      1,
    ),
    constants: [`${"{a*,b*}".repeat(20)}x`],
    action: "ab".repeat(5_000),
  },
  {
    it: "many roles of a derived role, looked for among many roles",
    program: program(
      [`const n0 = (q, first) => rt.rolesAmong([\n${repeated((at) => `q.hasRole(k${at * 2}) && k${at * 2 + 1},`, 20, "\n")}\n]);`],
      "",
      40,
      "n0",
    ).replace("effect = rt.NONE;\n\n", "effect = rt.NONE;\n"),
    constants: Array.from({ length: 40 }, (_, at) =>
      at % 2 === 1 ? `role ${at}` : Array.from({ length: 50_000 }, (_each, own) => `r${own}`),
    ),
    roles: Array.from({ length: 2_000 }, (_, at) => `s${at}`),
    includeMeta: true,
    times: 1_000,
  },
];

const thousands = { list: Array.from({ length: 900 }, (_, at) => at) };
const four = (expression: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`v${at}`, expression.replaceAll("0.0", `${at}.0`)]));

export const heavyPolicies: readonly HeavyPolicy[] = [
  {
    it: "variables that keep a list of lists each",
    variables: four("R.attr.list.map(x, R.attr.list.map(y, [x, [y, [x + 0.0]]]))"),
    condition: "V.v0 != V.v1 && V.v2 != V.v3 && V.v1 != V.v2",
    attr: thousands,
  },
  {
    it: "variables that keep a list of maps each",
    variables: four('R.attr.list.map(x, R.attr.list.map(y, {"a": x + 0.0, "b": y}))'),
    condition: "V.v0 != V.v1 && V.v2 != V.v3 && V.v1 != V.v2",
    attr: thousands,
  },
  {
    it: "variables that keep a map each",
    variables: four("R.attr.list.map(x, R.attr.list.transformMap(i, y, [x, y + 0.0]))"),
    condition: "V.v0 != V.v1 && V.v2 != V.v3 && V.v1 != V.v2",
    attr: thousands,
  },
  {
    it: "variables that keep a range each",
    variables: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`v${at}`, `lists.range(1000000 - ${at} * int(R.attr.one))`])),
    condition: repeated((at) => `V.v${at}.size() == 0 || V.v${at}.size() == 1`, 40, " || "),
    attr: { one: 1 },
  },
  {
    it: "variables that keep a long text each",
    variables: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`v${at}`, `R.attr.text.replace("a", "b", ${at})`])),
    condition: repeated((at) => `V.v${at}.endsWith("x") || V.v${at}.endsWith("y")`, 200, " || "),
    attr: { text: "a".repeat(3_000_000) },
  },
  {
    it: "the keys of a large map, listed in each turn",
    variables: { map: "R.attr.list.transformMap(i, x, x)" },
    condition: "R.attr.list.all(x, V.map.exists(k, true))",
    attr: { list: Array.from({ length: 100_000 }, (_, at) => at) },
  },
  {
    it: "two large maps, compared in each turn",
    variables: { map: "R.attr.list.transformMap(i, x, x)", other: "R.attr.list.transformMap(i, x, x + 0.0)" },
    condition: "R.attr.list.all(x, V.map == V.other)",
    attr: { list: Array.from({ length: 50_000 }, (_, at) => at) },
  },
  {
    it: "a long list, sorted in each turn",
    variables: {},
    condition: "R.attr.few.all(x, R.attr.list.sort().size() > x)",
    attr: { few: Array.from({ length: 1_000 }, () => 1), list: Array.from({ length: 50_000 }, (_, at) => (at * 7919) % 50_021) },
  },
  {
    it: "pairs of loops over two variables, within each other",
    variables: {},
    condition: repeated((at) => `R.attr.list.exists(i${at}, x${at}, `, 60, "") + "false" + ")".repeat(60),
    attr: { list: Array.from({ length: 200_000 }, () => 1) },
  },
  {
    it: "a long body that the compiler writes itself",
    variables: {},
    condition: `R.attr.list.exists(x, ${repeated((at) => `x.a${at} == R.attr.other`, 2_000, " || ")})`,
    attr: { list: Array.from({ length: 10_000 }, () => ({})), other: [1] },
  },
];

/** Lists of lists of lists, each twice in the next: in an order of texts they would be some gigabytes long. */
export const ordered: Heavy = {
  it: "an order of lists",
  program: program(
    [
      `const n0 = (q) => rt.list([${list}]);`,
      ...Array.from(
        { length: 30 },
        (_, at) => `const n${at + 1} = (q) => rt.list([q.variable(${at}, n${at}), q.variable(${at}, n${at})]);`,
      ),
      "const n31 = (q) => q.variable(30, n30) < q.variable(29, n29);",
    ],
    "if (!q.holds(first + 0, n31)) effect = rt.ALLOW;",
  ),
  attr: numbers(1_000),
};

/** What calls its loops twice from the next: 2 ** 40 evaluations without a turn. */
export const doubling: string = program(
  [
    loop(0, (item) => `${item} === undefined`),
    ...Array.from({ length: 40 }, (_, at) => {
      const name = 5 + at;
      const called = at === 0 ? "n0" : `n${name - 1}`;
      return `const n${name} = (q, n1) => {\nconst n2 = rt.items(n1);\nif (n2 === undefined) return false;\nfor (let n3 = 0; n3 < n2.length; n3++) {\nconst n4 = n2[n3];\nq.step();\nif (${called}(q, n4) || ${called}(q, n4)) return true;\n}\nreturn false;\n};`;
    }),
    `const n45 = (q) => n44(q, ${list});`,
  ],
  "if (q.holds(first + 0, n45)) effect = rt.ALLOW;",
);
