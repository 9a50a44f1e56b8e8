/** Attacks that use something up: time, memory, the stack, or the engine's own patience. */

/** A program that does not end by itself, or not soon. */
export interface Exhausting {
  readonly it: string;
  readonly program: string;
  /** How its trial may end: stopped, out of memory, or with an error that the engine finds in time. */
  readonly ends: RegExp;
}

const stopped = /gets no further, and was ended/;
const stoppedOrFull = /gets no further, and was ended|more than \d+ MB of memory/;

const whenEvaluated = (statements: string): string => `(rt, k) => {\n${statements}\nreturn { scopes: [] };\n}`;
const whenDeciding = (statements: string, roles = "return [];"): string =>
  `(rt, k) => {\nreturn { scopes: [["", { derivedRoles: (q) => { ${roles} }, decide: (q, action, matched) => { ${statements} return rt.NONE; }, first: 0 }]] };\n}`;

const iterator = "[({}).constructor.getOwnPropertySymbols([].__proto__)[0]]";

export const exhausting: readonly Exhausting[] = [
  { it: "a loop without an end, when it is evaluated", program: whenEvaluated(`for (;;);`), ends: stopped },
  { it: "a loop without an end, when it decides", program: whenDeciding(`while (true);`), ends: stopped },
  { it: "a loop without an end, when it lists derived roles", program: whenDeciding(``, `for (;;);`), ends: stopped },
  { it: "a labelled loop that goes on", program: whenDeciding(`own: for (;;) { for (;;) continue own; }`), ends: stopped },
  {
    it: "a loop that counts, and catches what ends it",
    program: whenDeciding(`for (;;) try { q.step(); } catch (trouble) { }`),
    ends: stopped,
  },
  {
    it: "a loop around the runtime's own loops, which count",
    program: whenDeciding(`for (;;) rt.some(rt.bare.x ? q : { step() {} }, [1, 2], () => false);`),
    ends: stopped,
  },
  {
    it: "a loop in what follows a stack overflow",
    program: whenDeciding(`const deep = () => { try { deep(); } finally { deep(); } }; deep();`),
    ends: stopped,
  },
  {
    it: "a memory bomb of arrays",
    program: whenEvaluated(
      `const all = []; for (;;) all.push(Set.prototype.constructor.prototype.constructor.constructor.name.split("").concat([all.slice()]));`,
    ),
    ends: stoppedOrFull,
  },
  {
    it: "a memory bomb of large arrays, when it decides",
    program: whenDeciding(`const all = []; for (;;) all.push([].constructor(1e6).fill(action));`),
    ends: stoppedOrFull,
  },
  {
    it: "an array that grows past what the engine can hold",
    program: whenDeciding(`const all = []; for (;;) all.push(1);`),
    ends: stoppedOrFull,
  },
  { it: "an array's length", program: whenDeciding(`const all = []; all.length = 4294967295; all.fill(1);`), ends: stoppedOrFull },
  {
    it: "an array's length, walked over",
    program: whenDeciding(`const all = []; all.length = 4294967295; all.forEach(() => 1); all.indexOf(2); all.sort();`),
    ends: stoppedOrFull,
  },
  {
    it: "derived roles as long as a list can be",
    program: whenDeciding(``, `const all = []; all.length = 4294967295; return all;`),
    ends: /as many as a policy defines/,
  },
  {
    it: "a text bomb",
    program: whenDeciding(
      `let text = "x".repeat(1 << 28); const all = []; for (let n = 0; ; n += 1) all.push((text + n).split("").length);`,
    ),
    ends: stoppedOrFull,
  },
  {
    it: "a text bomb by doubling what is replaced",
    program: whenDeciding(`let text = "aaaaaaaaaa"; for (;;) text = text.length > 1e8 ? "aaaaaaaaaa" : text.replaceAll("a", "$&$&$&$&");`),
    ends: stoppedOrFull,
  },
  {
    it: "a typed-array bomb, by the bytes of the runtime",
    program: whenDeciding(`const B = rt.bytes([1]).constructor; const all = []; for (;;) all.push(new B(1 << 26).fill(1));`),
    ends: stoppedOrFull,
  },
  {
    it: "a map bomb",
    program: whenDeciding(`const all = new Map(); for (let n = 0; ; n += 1) try { all.set(n, [n]); } catch (full) { }`),
    ends: stoppedOrFull,
  },
  { it: "a big integer bomb", program: whenDeciding(`let n = 3n; for (;;) try { n = n * n; } catch (full) { n = 3n; }`), ends: stopped },
  {
    it: "a big integer bomb, printed",
    program: whenDeciding(`const n = (1n << 20000000n) - 1n; for (;;) (n + "").length;`),
    ends: stopped,
  },
  { it: "a catastrophic pattern", program: whenDeciding(`/(a+)+$/.test("a".repeat(40) + "b");`), ends: stopped },
  { it: "a catastrophic pattern, without a literal", program: whenDeciding(`("a".repeat(40) + "b").match("(a+)+$");`), ends: stopped },
  {
    it: "a sort whose comparator never tires",
    program: whenDeciding(`for (;;) [].constructor.from({ length: 100 }, (own, at) => at).sort(() => -1);`),
    ends: stopped,
  },
  {
    it: "a getter that reads itself in a loop",
    program: whenDeciding(`const own = { get of() { for (;;); } }; return own.of;`),
    ends: stopped,
  },
  {
    it: "an iterator without an end, spread",
    program: whenDeciding(`return [...{ ${iterator}: function* () { for (;;) yield 1; } }];`),
    ends: stoppedOrFull,
  },
  {
    it: "an iterator without an end, as a range of the runtime",
    program: whenDeciding(
      `const own = [1]; own${iterator} = function* () { for (;;) yield ["a", 1]; }; return rt.mapOf(own) ? rt.ALLOW : rt.NONE;`,
    ),
    ends: stoppedOrFull,
  },
  {
    it: "a text that the runtime would make of an object",
    program: whenDeciding(`throw { get message() { for (;;); } };`),
    ends: /gets no further|not an error/,
  },
  {
    it: "an error whose message never comes",
    program: whenDeciding(
      `let caught; try { (void 0).x; } catch (error) { caught = error; } throw ({}).constructor.create(caught, { message: { get() { for (;;); } } });`,
    ),
    ends: stopped,
  },
  { it: "deep recursion", program: whenDeciding(`const deep = (n) => deep(n + 1) + 1; return deep(0);`), ends: /Maximum call stack/ },
  {
    it: "deep recursion through the runtime",
    program: whenDeciding(`const deep = (n) => rt.bind(() => deep(n + 1), (read) => read()); return deep(0);`),
    ends: /Maximum call stack/,
  },
  {
    it: "what is numbered without an end",
    program: whenDeciding(`q.variable(1e9, () => 1); return rt.NONE;`),
    ends: /numbers what it asks/,
  },
  { it: "a flood of microtasks", program: whenDeciding(`(async () => { for (;;) await 1; })();`), ends: /may not be asynchronous/ },
  {
    it: "a flood of microtasks, by thenables",
    program: whenDeciding(`const own = { then(yes) { (async () => own)(); yes(own); } }; (async () => own)();`),
    ends: /may not be asynchronous/,
  },
];
