/** Conversations over HTTP/1.1: requests one after the other, how they are cut, and which answers must come, each once and in their order. */
import type { Random } from "../agree/random.ts";
import { readHttp1, type Http1Answer } from "./answers-http1.ts";
import { readJson } from "./question.ts";
import { cut, cutOff, type Heard, type Script, type Step } from "./script.ts";
import { last, sound, unsound, type Shape } from "./shapes-http1.ts";

/** Makes one. */
export function http1Script(random: Random): Script {
  const make = (from: typeof sound, isLast: boolean): Shape => {
    const [name, made] = random.pick(from);
    return { name, isLast, ...made(random) };
  };
  const shapes = [...random.several(0, 6, () => make(sound, false)), make(random.chance(0.5) ? unsound : last, true)];
  // What follows the last one has no answer: an answer to it would be one to a smuggled request.
  const behind = random.chance(0.3) ? `GET /_authz/health HTTP/1.1\r\nhost: a\r\n\r\n` : "";
  // In the packet of the last one's end: what comes when the connection is closed makes the client's system throw away what it has heard.
  const all = withBehind(cut(random, Buffer.from(shapes.map(({ bytes }) => bytes).join(""), "latin1")), Buffer.from(behind, "latin1"));
  const isCut = random.chance(0.35);
  const steps = isCut ? cutOff(random, all) : random.chance(0.3) ? [...all, ...heldBack(random)] : all;
  const methods = shapes.map(({ method }) => method);
  return {
    name: `HTTP/1.1${isCut ? ", cut off" : ""}: ${shapes.map(({ name }) => name).join("; ")}${behind === "" ? "" : "; and more"}`,
    protocol: "http/1.1",
    face: "http",
    steps,
    isDone: () => false,
    judge: (heard) => judge(heard, shapes, methods, { isCut, isHalfClosed: steps.some(({ kind }) => kind === "end") }),
  };
}

function withBehind(steps: readonly Step[], behind: Buffer): readonly Step[] {
  const at = steps.findLastIndex(({ kind }) => kind === "send");
  return steps.map((step, index) =>
    index === at && step.kind === "send" ? { ...step, bytes: Buffer.concat([step.bytes, behind]) } : step,
  );
}

/** A client that has said all: its side ends, or it does not listen for a while. */
const heldBack = (random: Random): readonly Step[] => [
  random.pick<Step>([
    { kind: "end" },
    { kind: "deaf", milliseconds: random.whole(100) },
    { kind: "pause", milliseconds: random.whole(50) },
  ]),
];

interface Ending {
  readonly isCut: boolean;
  readonly isHalfClosed: boolean;
}

function judge(
  { bytes, ended }: Heard,
  shapes: readonly Shape[],
  methods: readonly string[],
  { isCut, isHalfClosed }: Ending,
): string | undefined {
  let answers: readonly Http1Answer[];
  try {
    ({ answers } = readHttp1(bytes, methods));
  } catch (error) {
    return String(error);
  }
  if (answers.length > shapes.length) return `${answers.length} answers to ${shapes.length} requests`;
  for (const [at, answer] of answers.entries()) {
    const shape = shapes[at];
    if (shape === undefined || (!answer.isWhole && isCut)) break;
    // A request that is cut is refused as such.
    const isCutHere = isCut && at === answers.length - 1 && [400, 408].includes(answer.status);
    const fault = isCutHere ? undefined : judgeOne(answer, shape);
    if (fault !== undefined) return `answer ${at + 1}, to ${shape.name}: ${fault}`;
  }
  if (isCut) return undefined;
  if (ended === "nobody") return `${answers.length} of ${shapes.length} answers, and the connection stays open`;
  // Whoever has ended his side while an answer is still to be made is taken for gone (test/server/http-exchanges.test.ts).
  const due = isHalfClosed ? 0 : shapes.length;
  if (answers.length < due) return `${answers.length} answers to ${shapes.length} requests, and the connection is closed`;
  return undefined;
}

function judgeOne({ status, body, headers, isWhole }: Http1Answer, { statuses, question, method }: Shape): string | undefined {
  if (!isWhole) return "it ends too early";
  if (!statuses.includes(status)) return `status ${status}: ${body.toString("utf8", 0, 200)}`;
  const text = body.toString("utf8");
  if (status === 200) {
    if (question === undefined) return undefined;
    const read = readJson(text);
    return read === question.expected ? undefined : `it is \`${read}\` where \`${question.expected}\` is right`;
  }
  if (method === "HEAD" || status === 204) return undefined;
  if (!headers.get("content-type")?.startsWith("application/json")) return `a refusal of type ${headers.get("content-type")}`;
  return readJson(text).startsWith("failure ") ? undefined : `a refusal of another form: ${text.slice(0, 200)}`;
}
