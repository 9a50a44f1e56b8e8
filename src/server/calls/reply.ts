/** The reply of a call, independent of the transport: a gRPC code and JSON; and what each code is called and means in HTTP. */

/** An answer. */
export interface Reply {
  /** 0 is success. */
  readonly code: number;
  /** The reply message as proto3 JSON, or the error as `{code, message, details}`. */
  readonly text: string;
  /** The reply message as bytes, one a character, where it was written so; then its text is made when somebody looks. */
  readonly message?: string;
  /** How many resources were decided; absent where nothing was. */
  readonly resources?: number;
  /** The decisions for the record as JSON, where records are kept. */
  readonly decisions?: string;
  /** The question could not be read: the caller's doing, whatever the code says. */
  readonly unreadable?: true;
  /** After how many seconds it may be asked again. */
  readonly retryAfter?: number;
}

/** Each gRPC code that we answer with: its number, its name, and the HTTP status of the same meaning (D6). */
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
