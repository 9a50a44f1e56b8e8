/** Explains why a call failed: the server's message with all its details, or why it was not reached. */
import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack, type Any } from "@bufbuild/protobuf/wkt";
import type { ServiceError } from "@grpc/grpc-js";
import { ViolationsSchema } from "../../../proto/gen/buf/validate/violations_pb.js";
import {
  DeletePolicyErrorDetailsSchema,
  DisablePolicyErrorDetailsSchema,
  type IntegrityErrors,
} from "../../../proto/gen/authz/response/v1/response_pb.js";
import { StatusSchema } from "../../../proto/gen/google/rpc/status_pb.js";
import { printDuration } from "../../config/duration.ts";
import { codeName, type CodeName } from "../../server/calls/reply.ts";
import { hungUp, meaningOf, plainText } from "../../unreachable.ts";
import { printable } from "./printable.ts";

/** A failed call. */
export interface Failure {
  readonly code: CodeName;
  /** A sentence. */
  readonly message: string;
  readonly details: readonly Detail[];
  /** How many details the server left out. */
  readonly omitted: number;
}

/** One problem. */
export interface Detail {
  /** Its path in the request: `policies[0].resourcePolicy.rules[1].roles`; "" when it has none. */
  readonly path: string;
  readonly message: string;
}

/** What is known about a call. */
interface CallContext {
  readonly target: string;
  /** In milliseconds. */
  readonly timeout: number;
  readonly usesTls: boolean;
  /** Whether the server has begun to answer. */
  readonly hasResponse: boolean;
}

/** Converts an error of grpc-js. */
export function failureOf(error: ServiceError, context: CallContext): Failure {
  const code = codeName(error.code);
  if (isFromServer(error, context)) {
    const { violations, broken } = readDetails(error);
    // The server's message repeats the policies that would break, in other words.
    if (violations.length === 0 && broken.length > 0)
      return { code, message: error.details.replace(/: .*$/s, ""), details: broken, omitted: 0 };
    const { head, count } = headOf(error.details, violations);
    return { code, message: head, details: violations, omitted: Math.max(0, count - violations.length) };
  }
  return { code, message: unreachableReason(code, error.details, context), details: [], omitted: 0 };
}

/** Prints a failure: the message, then one line per problem. */
export function printFailure({ message, details, omitted }: Failure): string {
  const lines = details.map(({ path, message: said }) => `  ${printable(path === "" ? said : `${path}: ${said}`)}`);
  return [printable(message), ...lines, ...(omitted > 0 ? [`  and ${omitted} more`] : [])].join("\n");
}

/** The codes that grpc-js itself produces; such errors come before any response header, or without an end of the response. */
const localCodes: ReadonlySet<CodeName> = new Set([
  "UNAVAILABLE",
  "DEADLINE_EXCEEDED",
  "CANCELLED",
  "INTERNAL",
  "UNKNOWN",
  "RESOURCE_EXHAUSTED",
]);
const isFromServer = ({ code, details, metadata }: ServiceError, { hasResponse }: CallContext): boolean =>
  !localCodes.has(codeName(code)) || Object.keys(metadata.getMap()).length > 0 || (hasResponse && !interruptedMessages.test(details));

/** The message of grpc-js for a response that has begun and is incomplete. */
const interruptedMessages = /^(?:Connection dropped|Received RST_STREAM|Call ended|Deadline exceeded|Cancelled|Received message larger)/;

interface Details {
  readonly violations: readonly Detail[];
  /** The policies that would break, by the policy that was to be removed. */
  readonly broken: readonly Detail[];
}

function readDetails(error: ServiceError): Details {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  try {
    const { details } = fromBinary(StatusSchema, Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0));
    const violations = details.flatMap((any) => anyUnpack(any, ViolationsSchema)?.violations ?? []);
    return {
      violations: violations.map(({ fieldPath, message }) => ({ path: fieldPath, message })),
      broken: details.flatMap(integrityDetails),
    };
  } catch {
    return { violations: [], broken: [] }; // The message contains it too.
  }
}

function integrityDetails(any: Any): readonly Detail[] {
  const errors = (anyUnpack(any, DeletePolicyErrorDetailsSchema) ?? anyUnpack(any, DisablePolicyErrorDetailsSchema))?.errors ?? {};
  return Object.entries(errors).flatMap(([id, error]) => printIntegrityErrors(error).map((message) => ({ path: id, message })));
}

function printIntegrityErrors({ breaksScopeChain, requiredByOtherPolicies }: IntegrityErrors): readonly string[] {
  const [below, above] = [breaksScopeChain?.descendants ?? [], requiredByOtherPolicies?.dependents ?? []];
  return [
    ...(below.length > 0 ? [`the scopes below it would have no parent: ${below.join(", ")}`] : []),
    ...(above.length > 0 ? [`other policies need it: ${above.join(", ")}`] : []),
  ];
}

/** Returns the server's message without the list that repeats the details, and the number of details by the server's count. */
function headOf(message: string, [first]: readonly Detail[]): { readonly head: string; readonly count: number } {
  if (first === undefined) return { head: message, count: 0 };
  const [at, alone] = [message.indexOf(`: ${first.path}: ${first.message}`), message.indexOf(`: ${first.message}`)];
  const end = at === -1 ? alone : at;
  const more = /; and (\d+) more$/.exec(message)?.[1];
  return { head: end <= 0 ? message : message.slice(0, end), count: more === undefined ? 0 : Number(more) + maxListed };
}

/** The most problems that our server's messages list. */
const maxListed = 10;

function unreachableReason(code: CodeName, said: string, { target, timeout, usesTls }: CallContext): string {
  if (code === "DEADLINE_EXCEEDED") return `${target} did not answer within ${printDuration(timeout)} (--timeout says how long to wait)`;
  const known = reasons.find(([pattern]) => pattern.test(said))?.[1] ?? meaningOf(said);
  if (known === undefined && hungUp(said))
    return usesTls
      ? `${target} hung up: perhaps it requires a client certificate, or another one (--client-cert and --client-key)`
      : `${target} hung up: if it uses TLS, leave out --plaintext`;
  return `${target} cannot be reached: ${known ?? plainText(said)}`;
}

/** Messages that mean something else for administrators than for others. */
const reasons: readonly (readonly [said: RegExp, plain: string])[] = [
  [/wrong version number|packet length too long/i, "the server does not use TLS there (use --plaintext)"],
  [
    /certificate required|alert handshake failure|alert bad certificate|alert unknown ca/i,
    "the server does not accept the client: it may require a certificate (--client-cert and --client-key)",
  ],
];
