/** What an attack is, and how its body is put where a unit's program stands. */

/** When a program runs: once, when it is evaluated; or each time it is asked to decide. */
export type Moment = "evaluation" | "decision";

/** An attack whose statements run inside a unit: they return what they got hold of. */
export interface Attack {
  /** What it tries. */
  readonly it: string;
  /** Statements that return something. Of `rt`, `k` and, at decision time, `q` and `action`. */
  readonly body: string;
  /** What it comes to behind the compartment's wall alone: a part of what `look` says of the value, or of the error. */
  readonly comesTo: string | RegExp;
  /** Where it only makes sense at one moment; both otherwise. */
  readonly at?: Moment;
}

/** An attack that needs the whole text. */
export interface WholeAttack {
  readonly it: string;
  readonly program: string;
  /** What the check says that asks it first. */
  readonly comesTo: string | RegExp;
}

/** Says what a value is: of the host, as far as anything about it tells, or of the realm. Only text leaves the unit. */
const look = `
  const ofHost = (value, depth) => {
    if (value === null || value === void 0 || (typeof value !== "object" && typeof value !== "function")) return false;
    if (value.hostsOwn !== void 0) return true;
    if (depth === 0) return false;
    return ofHost(value.constructor, depth - 1) || ofHost(value.__proto__, depth - 1);
  };
  const look = (value) => {
    if (value === null) return "null";
    if (typeof value === "symbol") return "a symbol";
    if (typeof value !== "object" && typeof value !== "function") return (typeof value) + " " + value;
    return ofHost(value, 3) ? "HOST" : "an own " + typeof value;
  };
  const tried = (attack, q, action) => {
    try {
      return look(attack(q, action));
    } catch (error) {
      if (ofHost(error, 3)) return "HOST";
      try { return "threw " + error.message; } catch (another) { return "threw what cannot be read"; }
    }
  };`;

const unit = (decide: string): string =>
  `return { scopes: [["", { derivedRoles: (q) => [], decide: (q, action, matched) => { ${decide} }, first: 0 }]] };`;

/** A program that makes its attack at one moment and says, in the error that its check fails with, what came of it: `seen:...`. */
export function telling({ body }: Attack, moment: Moment): string {
  const tell = (of: string): string => `return (void 0)["seen:" + tried(attack, ${of})];`;
  const start = `(rt, k) => {${look}\nconst attack = (q, action) => {\n${body}\n};\n`;
  return moment === "evaluation" ? `${start}${tell("void 0")}\n}` : `${start}${unit(tell("q, action"))}\n}`;
}

/** A program that makes its attack at one moment and then says nothing, as if it were honest. */
export function quiet({ body }: Attack, moment: Moment): string {
  const start = `(rt, k) => {\nconst attack = (q, action) => {\n${body}\n};\nconst quietly = (q, action) => { try { attack(q, action); } catch (error) {} };\n`;
  return moment === "evaluation" ? `${start}quietly();\n${unit("return 0;")}\n}` : `${start}${unit("quietly(q, action); return 0;")}\n}`;
}

/** The moments at which an attack is made. */
export const momentsOf = ({ at }: Attack): readonly Moment[] => (at === undefined ? ["evaluation", "decision"] : [at]);

/** What a check that failed by `telling` says was seen. */
export const seenIn = (answer: string): string | undefined => /reading 'seen:(.*?)'\)/.exec(answer)?.[1]?.replaceAll('\\"', '"');
