/** One question put to several contestants: who is wrong is shown and not timed. */
import { type Course, race, type Time } from "../race.ts";
import { type Answer, type Contestant, type Prepared, reference } from "./contestants.ts";
import type { Input } from "./inputs.ts";
import type { Question } from "./questions.ts";

/** What came of one contestant: a time, or why there is none. */
export interface Result {
  readonly contestant: string;
  readonly time?: Time;
  readonly absent?: string;
}

/** Answers a result for each contestant, in order. */
export function runHeat(
  { condition }: Question,
  inputs: readonly Input[],
  contestants: readonly Contestant[],
  course: Course,
): readonly Result[] {
  const expected = reference(condition, inputs);
  const entries = contestants.map((contestant) => admit(contestant, condition, inputs, expected));
  const runners = entries.flatMap(({ prepared }) => (prepared === undefined ? [] : [prepared.pass]));
  const times = race(runners, inputs.length, course).values();
  return entries.map(({ contestant, prepared, absent }) => {
    if (prepared === undefined) return { contestant, absent: absent ?? "absent" };
    const time = times.next().value;
    return time === undefined ? { contestant, absent: "not timed" } : { contestant, time };
  });
}

interface Entry {
  readonly contestant: string;
  readonly prepared?: Prepared;
  readonly absent?: string;
}

function admit(
  { name: contestant, prepare, onlyTruth = false }: Contestant,
  condition: string,
  inputs: readonly Input[],
  expected: readonly Answer[],
): Entry {
  let prepared: Prepared;
  try {
    prepared = prepare(condition, inputs);
  } catch (trouble) {
    return { contestant, absent: `does not understand: ${String(trouble).split("\n")[0]?.slice(0, 90)}` };
  }
  const wrong = expected.flatMap((answer, at) => {
    const right = onlyTruth && answer !== "true" ? "false" : answer;
    const said = prepared.answer(at);
    return said === right ? [] : [`${said} for ${right}`];
  });
  if (wrong.length > 0) return { contestant, absent: `wrong on ${wrong.length} of ${expected.length}: says ${wrong[0]}` };
  return { contestant, prepared };
}
