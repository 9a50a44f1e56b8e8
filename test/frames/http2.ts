/** Conversations over HTTP/2: streams that lie within each other, noise between them, perhaps a break; and which answers must come. */
import type { Random } from "../agree/random.ts";
import { readHttp2, type Http2Answers, type StreamAnswer } from "./answers-http2.ts";
import { breaks, noise, type Break, type Survived } from "./breaks.ts";
import { flags, frame, preface, readFrames, settings, types, word } from "./frame.ts";
import { readJson, readMessage, type Question } from "./question.ts";
import { cut, cutOff, type Heard, type Script, type Step } from "./script.ts";
import { grpcShapes } from "./shapes-grpc.ts";
import { malformedShapes } from "./shapes-malformed.ts";
import { plainShapes } from "./shapes-plain.ts";
import type { Expected, StreamShape } from "./stream.ts";

/** What the Node of the server does with connections that are broken. */
export interface Traits {
  /** What it survives: GOAWAY frames may crash Node 20.20 and 22.23 themselves, an answer to no ping Node 22.23 (docs/security.md). */
  readonly survives: ReadonlySet<Survived>;
  /** Closes what is broken at once: Node 20 does not, and the server looks for it now and then. */
  readonly closesBroken: boolean;
  /** Counts CONTINUATION frames: Node before 24 counts the packets that the head of one comes in, and takes many for an attack. */
  readonly countsFrames: boolean;
  /** Is anything broken at all? */
  readonly breaks: boolean;
}

interface Asked {
  readonly id: number;
  readonly name: string;
  readonly expected: Expected;
}

/** Whether a conversation is as it should be, to its end. */
type How = "whole" | "broken" | "cut off";

/** nghttp2 takes more CONTINUATION frames for an attack. */
const maxContinuations = 8;
const headBytes = 9;

/** Makes one. */
export function http2Script(random: Random, { survives, closesBroken, countsFrames, breaks: mayBreak }: Traits): Script {
  const face = random.pick(["http", "grpc"] as const);
  const shapes = random.several(1, 9, () => shapeFor(random, face));
  const first = random.pick([settings(), settings([4, random.pick([0, 1, 65535])], [1, random.pick([0, 4096])]), settings([2, 0], [3, 0])]);
  const { asked, bytes } = interleave(random, shapes);
  const continuations = readFrames(Buffer.concat(bytes)).frames.filter(({ type }) => type === types.continuation).length;
  const drawn = random.weigh<How>([
    [5, () => "whole"],
    [mayBreak ? 4 : 0, () => "broken"],
    [3, () => "cut off"],
  ]);
  const how = drawn === "whole" && continuations > maxContinuations ? "cut off" : drawn;
  const broken = how === "broken" ? random.pick(breaks.filter(({ needs }) => needs === undefined || survives.has(needs))) : undefined;
  const at = random.whole(bytes.length + 1);
  const used = asked.at(random.whole(asked.length))?.id ?? 1;
  const changed = (one: Asked): Asked => (broken?.addsToUsed === true && one.id === used ? { ...one, expected: anything } : one);
  const all = [
    preface,
    first,
    frame(types.settings, flags.ack, 0),
    ...(broken === undefined
      ? bytes
      : [...bytes.slice(0, at), broken.make(random, asked.length * 2 + 1, used), ...(random.chance(0.3) ? bytes.slice(at) : [])]),
    // Whatever the windows were, now there is room.
    ...(broken === undefined ? [settings([4, 2 ** 20]), frame(types.window, 0, 0, word(2 ** 24))] : []),
  ];
  const whole = Buffer.concat(all);
  const pieces = cut(random, whole);
  const isMistaken = !countsFrames && continuations > 0 && pieces.some((step) => step.kind === "send" && step.bytes.length < headBytes);
  const steps: readonly Step[] = isMistaken ? [{ kind: "send", bytes: whole }] : pieces;
  const waits = broken === undefined || (broken.ends && closesBroken);
  return {
    name: `HTTP/2 on the ${face} port, ${how}: ${asked.map(({ id, name }) => `${id} ${name}`).join("; ")}${broken === undefined ? "" : `; ${broken.name}`}`,
    protocol: "h2",
    face,
    steps:
      how === "cut off"
        ? cutOff(random, steps)
        : [...steps, ...(waits ? (random.chance(0.2) ? [{ kind: "deaf", milliseconds: random.whole(80) } as const] : []) : goes(random))],
    isDone: (received) => how === "whole" && isAnswered(received, asked),
    judge: (heard) => judge(heard, asked.map(changed), how, broken),
  };
}

/** Of a stream that something was added to anything may come: it was another request, or none. */
const anything: Expected = { kind: "given up" };

function shapeFor(random: Random, face: Script["face"]): StreamShape {
  const rows = random.weigh<typeof grpcShapes>([
    [6, () => grpcShapes],
    [face === "http" ? 5 : 0, () => plainShapes],
    [1.5, () => malformedShapes],
  ]);
  const [name, make] = random.pick(rows);
  return { name, ...make(random) };
}

/** Streams begin in the order of their numbers; their other pieces come whenever. */
function interleave(
  random: Random,
  shapes: readonly StreamShape[],
): { readonly asked: readonly Asked[]; readonly bytes: readonly Buffer[] } {
  const bytes: Buffer[] = [];
  const asked: Asked[] = [];
  let open: (readonly Buffer[])[] = [];
  while (asked.length < shapes.length || open.length > 0) {
    if (random.chance(0.15)) bytes.push(random.pick(noise)(random));
    const next = shapes[asked.length];
    let pieces: readonly Buffer[] | undefined;
    if (next !== undefined && (open.length === 0 || random.chance(0.5))) {
      const id = asked.length * 2 + 1;
      asked.push({ id, name: next.name, expected: next.expected });
      pieces = next.pieces(id);
    } else pieces = open.splice(random.whole(open.length), 1)[0];
    const [piece, ...rest] = pieces ?? [];
    if (piece !== undefined) bytes.push(piece);
    if (rest.length > 0) open = [...open, rest];
  }
  return { asked, bytes };
}

/** The server may make of it what it likes; the client waits a little, and goes. */
const goes = (random: Random): readonly Step[] => [
  { kind: "pause", milliseconds: random.whole(200) },
  ...(random.chance(0.5) ? [{ kind: "end" } as const, { kind: "pause", milliseconds: random.whole(200) } as const] : []),
  { kind: "reset" },
];

function isAnswered(received: Buffer, asked: readonly Asked[]): boolean {
  try {
    const { streams } = readHttp2(received);
    return asked.every(({ id, expected }) => expected.kind === "given up" || streams.get(id)?.end !== undefined);
  } catch {
    return true; // it will be judged
  }
}

function judge({ bytes, ended }: Heard, asked: readonly Asked[], how: How, broken: Break | undefined): string | undefined {
  let answers: Http2Answers;
  try {
    answers = readHttp2(bytes);
  } catch (error) {
    return String(error);
  }
  const { farewell, streams } = answers;
  if (broken?.ends === true && ended === "nobody") return `the connection stays open; farewell: ${farewell}`;
  if (how === "whole" && farewell !== undefined) return `the server ends a connection that is as it should be: ${farewell}`;
  for (const { id, name, expected } of asked) {
    const answer = streams.get(id);
    const isDue = how === "whole" && expected.kind !== "given up";
    const fault = answer?.end === undefined ? (isDue ? "no whole answer" : undefined) : judgeOne(answer, expected, how === "whole");
    if (fault !== undefined) return `stream ${id}, ${name}: ${fault}`;
  }
  return undefined;
}

function judgeOne(answer: StreamAnswer, expected: Expected, mayNotBeReset: boolean): string | undefined {
  const status = Number(answer.headers?.get(":status"));
  const code = Number(answer.trailers?.get("grpc-status") ?? answer.headers?.get("grpc-status"));
  switch (expected.kind) {
    case "refused":
      return answer.end === "reset" || status >= 400 || code > 0 ? undefined : `a malformed request is answered: ${status}, ${code}`;
    case "given up":
    case "either":
      if (answer.end === "reset" || expected.question === undefined) return undefined;
      return rightOrRefused(answer, status, code, expected.question);
    case "grpc":
    case "http": {
      if (answer.end === "reset") return mayNotBeReset ? "it is reset" : undefined;
      const { statuses, question } = expected;
      const said = answer.trailers?.get("grpc-message") ?? answer.headers?.get("grpc-message") ?? answer.body.toString("utf8", 0, 200);
      if (!statuses.includes(expected.kind === "grpc" ? code : status)) return `status ${status}, ${code}: ${said}`;
      return question === undefined ? undefined : rightOrRefused(answer, status, code, question);
    }
  }
}

function rightOrRefused({ headers, body }: StreamAnswer, status: number, code: number, question: Question): string | undefined {
  const isGrpc = headers?.get("content-type")?.startsWith("application/grpc") === true;
  if (isGrpc ? code !== 0 : status !== 200) return undefined;
  const read = isGrpc ? readMessage(body.subarray(5)) : readJson(body.toString("utf8"));
  return read === question.expected ? undefined : `it is \`${read}\` where \`${question.expected}\` is right`;
}
