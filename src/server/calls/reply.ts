/** The reply of a call, independent of the transport: a gRPC code and JSON; and what each code is called and means in HTTP. */

/** The reply of a call. */
export interface Reply {
  /** The gRPC code; 0 is success. */
  readonly code: number;
  /** The response message as proto3 JSON, or the error as `{code, message, details}`. */
  readonly text: string;
  /**
   * The response message encoded as protobuf, a binary string with one byte per character, if it was produced that way. `text` is then
   * computed when it is first read.
   */
  readonly message?: string;
  /** How many resources were decided; absent when none were. */
  readonly resources?: number;
  /** Present when the request was read, and has annotations. */
  readonly hasAnnotations?: true;
  /** The decisions as JSON for the audit log; absent when they are not logged. */
  readonly decisions?: string;
  /** The request could not be parsed. This is the caller's fault, whatever the code is. */
  readonly unreadable?: true;
  /** The number of seconds after which the client may retry. */
  readonly retryAfter?: number;
}

/** The gRPC codes that we use: number, name, and the HTTP status for it (D6). */
export const codes = {
  OK: { code: 0, status: 200 },
  CANCELLED: { code: 1, status: 499 },
  UNKNOWN: { code: 2, status: 500 },
  INVALID_ARGUMENT: { code: 3, status: 400 },
  DEADLINE_EXCEEDED: { code: 4, status: 504 },
  NOT_FOUND: { code: 5, status: 404 },
  ALREADY_EXISTS: { code: 6, status: 409 },
  PERMISSION_DENIED: { code: 7, status: 403 },
  RESOURCE_EXHAUSTED: { code: 8, status: 429 },
  FAILED_PRECONDITION: { code: 9, status: 400 },
  ABORTED: { code: 10, status: 409 },
  OUT_OF_RANGE: { code: 11, status: 400 },
  UNIMPLEMENTED: { code: 12, status: 501 },
  INTERNAL: { code: 13, status: 500 },
  UNAVAILABLE: { code: 14, status: 503 },
  DATA_LOSS: { code: 15, status: 500 },
  UNAUTHENTICATED: { code: 16, status: 401 },
} as const;

/** The name of a gRPC code. */
export type CodeName = keyof typeof codes;

const isCodeName = (name: string): name is CodeName => Object.hasOwn(codes, name);
const names: ReadonlyMap<number, CodeName> = new Map(
  Object.keys(codes)
    .filter(isCodeName)
    .map((name) => [codes[name].code, name]),
);

/** Returns the name of a gRPC code. */
export function codeName(code: number): CodeName {
  return names.get(code) ?? "UNKNOWN";
}

/** Returns the HTTP status of a gRPC code. */
export function httpStatus(code: number): number {
  return codes[codeName(code)].status;
}

/** Returns the reply of a call that failed. */
export function failure(name: CodeName, message: string): Reply {
  const { code } = codes[name];
  return { code, text: JSON.stringify({ code, message }) };
}
