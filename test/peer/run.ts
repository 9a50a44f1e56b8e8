/** The differential run: random expressions and inputs, our answers against those of the reference, everything counted. */
import { type Random, openRandom } from "../agree/random.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import type { Answer } from "./answer.ts";
import { type Coverage, cover, openCoverage } from "./coverage.ts";
import { type Case, rows } from "./differences.ts";
import { writeExpression } from "./grammar.ts";
import { type Input, makeInput, settingsOf } from "./inputs.ts";
import { differs, type Question, questionFor } from "./judge.ts";
import { writeLacking } from "./lacking-calls.ts";
import { answer, type Ours } from "./ours.ts";
import type { Peer } from "./peer.ts";
import { shrink } from "./shrink.ts";

/** A difference that nothing explains, made small. */
export interface Finding {
  readonly batch: number;
  readonly original: string;
  readonly input: Input;
  readonly difference: Case;
}

/** What a run came to. */
export interface Outcome {
  readonly asked: number;
  readonly accepted: number;
  readonly values: number;
  readonly errors: number;
  readonly probed: number;
  readonly outcomeOnly: number;
  readonly explained: ReadonlyMap<string, number>;
  /** The reference gives several answers to the same question, ours among them: the order of a map's keys. */
  readonly unordered: number;
  /** Differences whose small form was found before. */
  readonly again: number;
  readonly findings: readonly Finding[];
  readonly coverage: Coverage;
}

/** How a run is made. */
export interface RunOptions {
  readonly peer: Peer;
  readonly seed: number;
  /** Expressions that both sides must have accepted. */
  readonly accepted: number;
  /** Stops when so many unexplained differences were found. */
  readonly enough: number;
  readonly onFinding?: (finding: Finding) => void;
  readonly onProgress?: (accepted: number, findings: number) => void;
}

/** Expressions about one input; on our side they are one program. */
const batchSize = 150;

interface Batch {
  readonly number: number;
  readonly input: Input;
  readonly texts: readonly string[];
  readonly ours: readonly Ours[];
  readonly questions: readonly Question[];
}

/** Makes one batch of the run: the same for the same seed. */
export function makeBatch(seed: number, number: number): Batch {
  const random = openRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const input = makeInput(random);
  const written = Array.from({ length: batchSize }, () => (random.chance(0.003) ? writeLacking(random) : writeExpression(random)));
  return ask(number, input, written, random);
}

function ask(number: number, input: Input, written: readonly string[], random?: Random): Batch {
  const said = answer(written, input);
  const asked = written.flatMap((text, index) => {
    const ours = said[index];
    const question = ours === undefined ? undefined : questionFor(text, ours, random === undefined || random.chance(0.1));
    return ours === undefined || question === undefined ? [] : [{ text, ours, question }];
  });
  return {
    number,
    input,
    texts: asked.map(({ text }) => text),
    ours: asked.map(({ ours }) => ours),
    questions: asked.map(({ question }) => question),
  };
}

const linesOf = ({ questions }: Batch): readonly string[] => questions.map(({ line }) => line);

/** Runs until enough was accepted, or enough was found. */
export async function run({ peer, seed, accepted: wanted, enough, onFinding, onProgress }: RunOptions): Promise<Outcome> {
  const coverage = openCoverage();
  const explained = new Map<string, number>(rows.map(({ name }) => [name, 0]));
  const findings: Finding[] = [];
  const count = { asked: 0, accepted: 0, values: 0, errors: 0, probed: 0, outcomeOnly: 0, unordered: 0, again: 0 };

  const take = async (batch: Batch, answers: readonly Answer[]): Promise<void> => {
    for (const [index, ours] of batch.ours.entries()) {
      const [text, question, theirs] = [batch.texts[index], batch.questions[index], answers[index]];
      if (text === undefined || question === undefined || theirs === undefined) throw new Error("one answer for each question");
      count.asked++;
      if (ours.kind === "accepted" && theirs.kind !== "refused") {
        count.accepted++;
        if (ours.interpreted instanceof EvalError) count.errors++;
        else count.values++;
        if (question.form === "probe") count.probed++;
        if (question.form === "outcome only") count.outcomeOnly++;
        cover(coverage, ours);
      }
      const aspect = differs(ours, question, theirs);
      if (aspect !== undefined) await explain(batch, text);
    }
  };

  const explain = async (batch: Batch, text: string): Promise<void> => {
    const difference = await inspect(peer, batch.input, text);
    if (difference === undefined || (await isUnordered(peer, batch.input, difference))) {
      count.unordered++;
      return;
    }
    // That generated code says something else than the interpreter has no excuse.
    const row = difference.aspect === "generated" ? undefined : rows.find(({ explains }) => explains(difference));
    if (row !== undefined) {
      explained.set(row.name, (explained.get(row.name) ?? 0) + 1);
      return;
    }
    if (findings.length >= enough) return;
    const small = await shrink(text, (texts) => firstDiffering(peer, batch.input, texts, difference.aspect));
    const shown = (await inspect(peer, batch.input, small)) ?? difference;
    // The same cause is shown once.
    if (findings.some((finding) => finding.difference.text === shown.text && finding.difference.aspect === shown.aspect)) {
      count.again++;
      return;
    }
    const finding = { batch: batch.number, original: text, input: batch.input, difference: shown };
    findings.push(finding);
    onFinding?.(finding);
  };

  // Two batches are under way: while the reference answers one, we answer the next.
  const next = (number: number): { readonly batch: Batch; readonly answers: Promise<readonly Answer[]> } => {
    const batch = makeBatch(seed, number);
    return { batch, answers: peer.ask(settingsOf(batch.input), linesOf(batch)) };
  };
  let number = 0;
  let first = next(number++);
  while (count.accepted < wanted && findings.length < enough) {
    const second = next(number++);
    await take(first.batch, await first.answers);
    first = second;
    if (number % 50 === 0) onProgress?.(count.accepted, findings.length);
  }
  await first.answers;
  return { ...count, explained, findings, coverage };
}

/** Asks one expression again, with everything that is to be known about it; undefined when there is no difference this time. */
async function inspect(peer: Peer, input: Input, text: string): Promise<Case | undefined> {
  const { ours, questions } = ask(0, input, [text]);
  const [said, question] = [ours[0], questions[0]];
  if (said === undefined || question === undefined) return undefined;
  const [asked, theirs] = await peer.ask(settingsOf(input), [question.line, text]);
  if (asked === undefined || theirs === undefined) return undefined;
  const aspect = differs(said, question, asked);
  return aspect === undefined ? undefined : { text, aspect, ours: said, theirs };
}

/** How often: an order of keys that comes once in ten times is then missed once in twelve runs. */
const askedAgain = 24;

/** Go walks maps in random order: asked again and again, the reference sometimes says what we say, or contradicts itself. */
async function isUnordered(peer: Peer, input: Input, { text, aspect }: Case): Promise<boolean> {
  // Only loops walk maps.
  if (aspect === "acceptance" || aspect === "generated" || !/[.](?:all|exists|map|filter|transform|sortBy|existsOne|exists_one)/.test(text))
    return false;
  const { ours, questions } = ask(0, input, [text]);
  const [said, question] = [ours[0], questions[0]];
  if (said === undefined || question === undefined) return false;
  const askOften = (line: string): Promise<readonly Answer[]> =>
    peer.ask(
      settingsOf(input),
      Array.from({ length: askedAgain }, () => line),
    );
  if ((await askOften(question.line)).some((theirs) => differs(said, question, theirs) === undefined)) return true;
  return new Set((await askOften(text)).map((theirs) => JSON.stringify(theirs))).size > 1;
}

/** Finds the first of some texts that is answered differently in the same aspect, and that nothing explains. */
async function firstDiffering(peer: Peer, input: Input, texts: readonly string[], aspect: string): Promise<string | undefined> {
  const batch = ask(0, input, texts);
  const answers = await peer.ask(settingsOf(input), linesOf(batch));
  for (const [index, ours] of batch.ours.entries()) {
    const [text, question, theirs] = [batch.texts[index], batch.questions[index], answers[index]];
    if (text === undefined || question === undefined || theirs === undefined) continue;
    if (differs(ours, question, theirs) !== aspect) continue;
    const difference = await inspect(peer, input, text);
    if (difference === undefined || rows.some(({ explains }) => explains(difference))) continue;
    if (!(await isUnordered(peer, input, difference))) return text;
  }
  return undefined;
}
