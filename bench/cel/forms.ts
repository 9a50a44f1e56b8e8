/** What each fast form of generated code is worth: every condition with all forms, and with one switched off. */
import { compile, type FormName, forms } from "../../src/cel/index.ts";
import type { Course, Time } from "../race.ts";
import { test } from "./contestants.ts";
import type { Input } from "./inputs.ts";
import { runHeat } from "./heat.ts";
import type { Question } from "./questions.ts";

/** The time with every form, and without each one that changes the code of this condition. */
export interface FormTimes {
  readonly all: Time;
  readonly none: Time;
  readonly without: readonly { readonly form: FormName; readonly time: Time }[];
}

const names = Object.keys(forms).filter((name): name is FormName => Object.hasOwn(forms, name));

/** Times one condition with its forms on and off. */
export function runForms(question: Question, inputs: readonly Input[], course: Course): FormTimes {
  const code = (of?: readonly FormName[]): string =>
    compile(question.condition, { variables: { P: "json", R: "json" }, ...(of && { forms: of }) }).javascript;
  const without = (form: FormName) => names.filter((name) => name !== form);
  const telling = names.filter((form) => code(without(form)) !== code());
  const times = runHeat(question, inputs, [test(), test([]), ...telling.map((form) => test(without(form)))], course).map(
    ({ time, absent }) => {
      if (time === undefined) throw new Error(`${question.name}: ${absent}`);
      return time;
    },
  );
  const [all, none, ...rest] = times;
  if (all === undefined || none === undefined) throw new Error("a race has a time for every runner");
  return { all, none, without: telling.flatMap((form, at) => (rest[at] === undefined ? [] : [{ form, time: rest[at] }])) };
}

/** Prints, condition by condition, how many times slower the code is without a form; then each form's best and mean. */
export function printForms(asked: readonly Question[], run: (question: Question) => FormTimes): number {
  const gains = new Map<FormName, { readonly name: string; readonly factor: number }[]>(names.map((name) => [name, []]));
  for (const question of asked) {
    const { all, none, without } = run(question);
    console.log(`\n${question.name}   ${question.condition}`);
    console.log(`  ${"every form".padEnd(30)}${all.median.toFixed(1).padStart(9)} ns`);
    for (const { form, time } of without) {
      const factor = time.median / all.median;
      gains.get(form)?.push({ name: question.name, factor });
      console.log(`  ${`no "${form}"`.padEnd(30)}${time.median.toFixed(1).padStart(9)} ns   ${factor.toFixed(2)} times`);
    }
    console.log(
      `  ${"no form at all".padEnd(30)}${none.median.toFixed(1).padStart(9)} ns   ${(none.median / all.median).toFixed(2)} times`,
    );
  }
  console.log("\nwithout a form a condition takes so many times as long: geometric mean over the conditions it changes, and the most");
  for (const [form, of] of gains) {
    const mean = Math.exp(of.reduce((sum, { factor }) => sum + Math.log(factor), 0) / of.length);
    const most = of.toSorted((a, b) => b.factor - a.factor)[0];
    console.log(
      `  ${form.padEnd(24)}${most === undefined ? "changes none of these conditions" : `${mean.toFixed(2)} over ${of.length}, most ${most.factor.toFixed(2)} (${most.name})`}`,
    );
  }
  return 0;
}
