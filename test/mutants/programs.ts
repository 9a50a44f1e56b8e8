/** Programs that no compiler has written: an honest one with a token changed, and JavaScript from a grammar of attacks. */
import type { Random } from "../agree/random.ts";

const token = /"(?:[^"\\]|\\.)*"|[A-Za-z_$][\w$]*|\d+n?|=>|[=!<>&|?.]+|\n|./g;

const swaps: readonly (readonly [from: string, to: string])[] = [
  ["===", "!=="],
  ["!==", "==="],
  ["&&", "||"],
  ["||", "&&"],
  ["&", "|"],
  ["ALLOW", "DENY"],
  ["DENY", "ALLOW"],
  ["NONE", "ALLOW"],
  ["DENY", "NONE"],
  ["true", "false"],
  ["false", "true"],
  ["holds", "variable"],
  ["equal", "isIn"],
  ["get", "index"],
  ["R", "P"],
  ["P", "R"],
  ["G", "R"],
  ["0", "1"],
  ["1", "2"],
  ["1", "0"],
  ["return", "void"],
  ["const", "let"],
  ["let", "var"],
  ["if", "while"],
  ["rt", "k"],
  ["q", "rt"],
  ["undefined", "null"],
  ["=", "=="],
  [".", "?."],
];

/** Changes an honest program in one place. */
export function editTokens(random: Random, program: string): string {
  const tokens: readonly string[] = program.match(token) ?? [];
  if (tokens.length === 0) return "rt";
  const at = random.whole(tokens.length);
  const joined = (changed: readonly string[]): string => changed.join("");
  return random.weigh<string>([
    [
      10,
      () => {
        const [from, to] = random.pick(swaps);
        const places = tokens.flatMap((each, index) => (each === from ? [index] : []));
        return places.length === 0 ? joined(tokens.toSpliced(at, 1)) : joined(tokens.with(random.pick(places), to));
      },
    ],
    [3, () => joined(tokens.toSpliced(at, 1))],
    [2, () => joined(tokens.toSpliced(at, 0, tokens[at] ?? ""))],
    [4, () => joined(tokens.with(at, random.pick(tokens)))],
    [2, () => joined(tokens.with(at, attackExpression(random, 2)))],
    [
      4,
      () => {
        const words = tokens.flatMap((each, index) => (/^[A-Za-z_]\w*$/.test(each) ? [index] : []));
        return joined(tokens.with(random.pick([...words, 0]), tokens[random.pick([...words, 0])] ?? ""));
      },
    ],
    [
      4,
      () => {
        const lines = program.split("\n");
        const [one, two] = [random.whole(lines.length), random.whole(lines.length)];
        return random
          .pick<() => readonly string[]>([
            () => lines.toSpliced(one, 1),
            () => lines.toSpliced(one, 0, lines[two] ?? ""),
            () => lines.with(one, lines[two] ?? "").with(two, lines[one] ?? ""),
            () => lines.toSpliced(one, 0, attackStatement(random, 2)),
          ])()
          .join("\n");
      },
    ],
  ]);
}

const roots = [
  "rt",
  "q",
  "k",
  "action",
  "roles",
  "(void 0)",
  "({})",
  "[]",
  '""',
  "1n",
  "(() => 0)",
  "this",
  "globalThis",
  "q.R",
  "rt.equal",
  "new Map()",
  "Set",
  "effect",
];
const names = [
  "constructor",
  "__proto__",
  "prototype",
  "caller",
  "callee",
  "arguments",
  "then",
  "toString",
  "valueOf",
  "__defineGetter__",
  "__lookupGetter__",
  "length",
  "call",
  "apply",
  "bind",
  "ALLOW",
  "holds",
  "output",
  "bare",
];
const frees = [
  "process",
  "require",
  "eval",
  "Function",
  "Object",
  "Reflect",
  "Proxy",
  "Promise",
  "Symbol",
  "Error",
  "Date",
  "Math",
  "WebAssembly",
  "SharedArrayBuffer",
  "setTimeout",
  "queueMicrotask",
  "console",
  "fetch",
  "Compartment",
  "harden",
  "lockdown",
  "arguments",
  "undefined",
  "Infinity",
  "JSON",
  "String",
  "Array",
  "RegExp",
  "Intl",
  "globalThis",
  "authzDoor",
];

/** An expression that would reach, change, end or outlive something. */
export function attackExpression(random: Random, depth: number): string {
  const inner = (): string => (depth <= 0 ? random.pick(roots) : attackExpression(random, depth - 1));
  const name = (): string => random.pick(names);
  return random.weigh<string>([
    [3, () => random.pick(roots)],
    [2, () => random.pick(frees)],
    [4, () => `${inner()}.${name()}`],
    [2, () => `${inner()}["${name()}"]`],
    [1, () => `${inner()}["con" + "structor"]`],
    [1, () => `${inner()}[${inner()}]`],
    [1, () => `${inner()}?.${name()}`],
    [1, () => `${inner()}.\\u0063onstructor`],
    [3, () => `${inner()}(${inner()})`],
    [2, () => `${inner()}.constructor("return process")()`],
    [1, () => `(0, eval)("1")`],
    [1, () => random.pick(['import("node:fs")', 'import /**/ ("fs")', "import.meta", "new.target", "super.x"])],
    [1, () => `new ${inner()}(${inner()})`],
    [1, () => `\`\${${inner()}}\``],
    [1, () => `${inner()}\`x\``],
    [1, () => random.pick(["/(a+)+$/.test(action)", "/x/", "action.match(/(.*)*x/)"])],
    [1, () => `(async () => ${inner()})()`],
    [1, () => `(function* () { yield ${inner()}; })().next()`],
    [1, () => `(function f() { return f(); })()`],
    [1, () => `({ get x() { return ${inner()}; } }).x`],
    [1, () => `({ then(done) { done(); } })`],
    [1, () => `({ __proto__: ${inner()} })`],
    [1, () => `({ ...${inner()} })`],
    [1, () => `[...${inner()}]`],
    [1, () => `(${inner()}, ${inner()})`],
    [1, () => `(${inner()}.${name()} = ${inner()})`],
    [1, () => `(${random.pick(["delete", "typeof", "void", "!", "-", "++"])} ${inner()})`],
    [1, () => `(class extends ${inner()} { static { ${inner()}; } })`],
    [1, () => `(${inner()} instanceof ${inner()})`],
    [1, () => `("${name()}" in ${inner()})`],
    [1, () => `"x".repeat(1e9)`],
    [1, () => `rt.${random.pick(["make", "glob", "fail", "range", "loop", "get", "index", "constructor", "noSuch"])}(${inner()})`],
    [1, () => `q.${random.pick(["holds", "variable", "output", "compute", "steps", "work", "noSuch"])}(${inner()})`],
  ]);
}

/** A statement of the same kind. */
export function attackStatement(random: Random, depth: number): string {
  const expression = (): string => attackExpression(random, depth);
  return random.weigh<string>([
    [4, () => `${expression()};`],
    [2, () => `const n9 = ${expression()};`],
    [1, () => `let n9 = ${expression()}; n9 = n9;`],
    [1, () => `var n9 = ${expression()};`],
    [1, () => `for (;;) {}`],
    [1, () => `while (true) { ${expression()}; }`],
    [1, () => `for (const n9 of ${expression()}) { ${expression()}; }`],
    [1, () => `for (const n9 in ${expression()}) {}`],
    [1, () => `do {} while (${expression()});`],
    [1, () => `const n9 = () => n9(); n9();`],
    [1, () => `const n9 = (q) => n8(q); const n8 = (q) => n9(q);`],
    [1, () => `function n9() { return n9; }`],
    [1, () => `throw ${expression()};`],
    [1, () => `try { ${expression()}; } catch (n9) { n9.constructor.constructor("return this")(); }`],
    [1, () => `label: { break label; }`],
    [1, () => `with (${expression()}) {}`],
    [1, () => `debugger;`],
    [1, () => `// ${expression()}\n`],
    [1, () => `/* */ ${expression()};`],
    [1, () => `${expression()}\n`],
    [1, () => `rt.ALLOW = ${expression()};`],
    [1, () => `k[0] = ${expression()};`],
    [1, () => `({ x: effect } = ${expression()});`],
    [1, () => `[effect] = ${expression()};`],
    [1, () => `const { constructor: n9 } = ${expression()};`],
    [1, () => `const [n9 = ${expression()}] = k;`],
    [1, () => `switch (${expression()}) { default: ${expression()}; }`],
    [1, () => `if (${expression()}) return ${expression()};`],
    [1, () => `<!-- ${expression()}\n`],
    [1, () => `import n9 from "fs";`],
    [1, () => `"use strict"; ${expression()};`],
  ]);
}

/** A whole program: of the right outline mostly, so that it is what stands inside that matters. */
export function attackProgram(random: Random): string {
  const statement = (): string => attackStatement(random, 1 + random.whole(3));
  const expression = (): string => attackExpression(random, 1 + random.whole(3));
  const outline = (early: string, late: string, effect: string, scopes: string): string =>
    `(rt, k) => {\n${early}\nconst n0 = (q, action, roles, first) => {\nlet effect = rt.NONE;\n${late}\nreturn ${effect};\n};\nreturn { scopes: [[${scopes}, { derivedRoles: rt.noRoles, decide: n0, first: 0 }]] };\n}`;
  return random.weigh<string>([
    [4, () => outline("", statement(), "effect", '""')],
    [3, () => outline(statement(), "", "effect", '""')],
    [3, () => outline("", "", expression(), '""')],
    [1, () => outline("", "", "effect", expression())],
    [1, () => outline("const [k0] = k;", statement(), expression(), "k0")],
    [1, () => `${random.pick(["async ", "function ", "0 || ", "(0, ", "export default ", ";"])}${outline("", "", "effect", '""')}`],
    [
      1,
      () => `${outline("", "", "effect", '""')}${random.pick(["(rt)", "()", ".constructor", "; 1", " // x", "\n1", ", 1", ")(", "`x`"])}`,
    ],
    [1, () => `(rt, k = ${expression()}) => { ${statement()} }`],
    [1, () => `(...rt) => { ${statement()} }`],
    [1, () => expression()],
    [1, () => statement()],
  ]);
}
