/** Ordinary checks that tell each other apart: each has a number of its own, and one answer that is right. */
import { fromBinary, toJson } from "@bufbuild/protobuf";
import { CheckResourcesResponseSchema } from "../../proto/gen/authz/response/v1/response_pb.js";
import type { Random } from "../agree/random.ts";
import { requestMessage } from "../server/request-message.ts";
import { part } from "../server/protobuf.ts";

/** A check, in both languages. */
export interface Question {
  readonly id: string;
  readonly json: string;
  readonly message: Buffer;
  /** The answer, in short. */
  readonly expected: string;
}

/** Keys that never come, and are asked for again every second: a check that needs them waits. */
export const absentKeys = "absent";

let asked = 0;

/** Makes one; `padding` letters more make it longer, `waits` has it need keys. */
export function makeQuestion(
  random: Random,
  { padding = 0, waits = false }: { readonly padding?: number; readonly waits?: boolean } = {},
): Question {
  const id = `frames-${++asked}`;
  const [amount, role, name] = [
    random.whole(2000),
    random.pick(["user", "manager", "nobody"]),
    `e${random.whole(1000)}${"x".repeat(padding)}`,
  ];
  const actions = ["view", "approve", "delete"];
  const principal = { id: "ann", roles: [role] };
  const resource = { kind: "expense", id: name, attr: { amount } };
  const token = { token: "eyJhbGciOiJFUzI1NiJ9.e30.AAAA", keySetId: absentKeys };
  const json = { requestId: id, principal, resources: [{ actions, resource }], ...(waits && { auxData: { jwt: token } }) };
  const message = Buffer.concat([
    part(1, id),
    requestMessage({ principal, resources: [{ actions, resource: { ...resource, attr: [["amount", amount]] } }] }),
    ...(waits ? [part(5, part(1, Buffer.concat([part(1, token.token), part(2, token.keySetId)])))] : []),
  ]);
  const allows = [role === "user", role === "manager" && amount < 1000, false];
  const effects = allows.map((allowed) => (allowed ? "ALLOW" : "DENY"));
  return { id, json: JSON.stringify(json), message, expected: `${id} ${name} ${effects.join()}` };
}

/** Reads the answer of a check from its JSON, in short. */
export function readJson(text: string): string {
  try {
    return inShort(JSON.parse(text));
  } catch {
    return `no JSON: ${text.slice(0, 200)}`;
  }
}

/** Reads it from its message. */
export function readMessage(bytes: Uint8Array): string {
  try {
    return inShort(toJson(CheckResourcesResponseSchema, fromBinary(CheckResourcesResponseSchema, bytes)));
  } catch (error) {
    return `no message: ${String(error)}`;
  }
}

interface Reply {
  readonly requestId?: string;
  readonly code?: number;
  readonly message?: string;
  readonly results?: readonly { readonly resource: { readonly id: string }; readonly actions: { readonly [action: string]: string } }[];
}

// A shape that is looked at field by field, whatever it is.
function inShort(reply: unknown): string {
  const { requestId, results, code, message } = reply as Reply;
  if (code !== undefined) return `failure ${code}: ${message}`;
  const [result] = results ?? [];
  const effects = ["view", "approve", "delete"].map((action) => result?.actions[action]?.replace("EFFECT_", ""));
  return `${requestId} ${result?.resource.id} ${effects.join()}`;
}
