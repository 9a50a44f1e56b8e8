/** A gRPC client for the administration API: messages in, messages out, and failures as data. */
import {
  create,
  fromBinary,
  toBinary,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { Metadata, type CallOptions, type ServiceError } from "@grpc/grpc-js";
import { printAddress } from "../../config/address.ts";
import { refusal } from "../../refusal.ts";
import type { Probe } from "../../server/probe.ts";
import { openClient } from "../../server/probe-grpc.ts";
import { version } from "../../version.ts";
import type { Credentials } from "./credentials.ts";
import { failureOf, printFailure, type Failure } from "./failure.ts";

/** The server, and the credentials. */
export interface Connection extends Probe {
  readonly credentials?: Credentials;
}

/** The result of a call. */
export type CallResult<T> = { readonly reply: T } | { readonly failure: Failure };

/** An open client. */
export interface AdminClient {
  /** Makes a unary call; rejects with a refusal that contains the whole error message when it fails. */
  readonly call: <M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>) => Promise<MessageShape<M["output"]>>;
  /** Makes a unary call; never rejects. */
  readonly tryCall: <M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
  ) => Promise<CallResult<MessageShape<M["output"]>>>;
  /** Makes a streaming call. The timeout applies to each entry, not to the whole stream. */
  readonly stream: <M extends DescMethodServerStreaming>(
    method: M,
    request: MessageInitShape<M["input"]>,
  ) => AsyncIterable<MessageShape<M["output"]>>;
  readonly close: () => void;
}

/** The largest response in bytes; lists of a large store are long. */
const maxResponseBytes = 512 * 1024 * 1024;

const identity = (bytes: Buffer): Buffer => bytes;
const pathOf = ({ parent, name }: DescMethodUnary | DescMethodServerStreaming): string => `/${parent.typeName}/${name}`;

/** Opens a client; the caller closes it. */
export function openAdminClient({ credentials, timeout, ...where }: Connection): AdminClient {
  const target = printAddress(where.address);
  const client = openClient(where, {
    "grpc.max_receive_message_length": maxResponseBytes,
    "grpc.primary_user_agent": `authzctl/${version}`,
  });
  const metadata = (): Metadata => {
    const made = new Metadata();
    if (credentials !== undefined) {
      const text = Buffer.from(`${credentials.username}:${credentials.password}`, "utf8").toString("base64");
      made.set("authorization", `Basic ${text}`);
    }
    return made;
  };
  const failed = (error: ServiceError, hasResponse: boolean): Failure =>
    failureOf(error, { target, timeout, usesTls: where.tls !== undefined, hasResponse });

  const tryCall = <M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
  ): Promise<CallResult<MessageShape<M["output"]>>> => {
    const question = Buffer.from(toBinary(method.input, create(method.input, request)));
    const options: CallOptions = { deadline: Date.now() + timeout };
    return new Promise((resolve) => {
      let hasResponse = false;
      client
        .makeUnaryRequest(pathOf(method), identity, identity, question, metadata(), options, (error, answer) => {
          if (error !== null) resolve({ failure: failed(error, hasResponse) });
          else resolve({ reply: fromBinary<M["output"]>(method.output, answer ?? Buffer.alloc(0)) });
        })
        .once("metadata", () => void (hasResponse = true));
    });
  };
  return {
    tryCall,
    call: async (method, request) => {
      const outcome = await tryCall(method, request);
      if ("failure" in outcome) throw refusal(printFailure(outcome.failure));
      return outcome.reply;
    },
    stream: async function* <M extends DescMethodServerStreaming>(method: M, request: MessageInitShape<M["input"]>) {
      const question = Buffer.from(toBinary(method.input, create(method.input, request)));
      const stream = client.makeServerStreamRequest(pathOf(method), identity, identity, question, metadata());
      let isLate = false;
      let hasResponse = false;
      stream.once("metadata", () => void (hasResponse = true));
      const giveUp = (): void => {
        isLate = true;
        stream.cancel();
      };
      let timer = setTimeout(giveUp, timeout);
      try {
        for await (const bytes of stream) {
          clearTimeout(timer);
          yield fromBinary<M["output"]>(method.output, bytes);
          timer = setTimeout(giveUp, timeout);
        }
      } catch (error) {
        if (!isServiceError(error)) throw error;
        throw refusal(printFailure(failed(isLate ? Object.assign(error, { code: 4 }) : error, hasResponse && !isLate)));
      } finally {
        clearTimeout(timer);
        stream.cancel(); // The consumer may stop early.
      }
    },
    close: () => client.close(),
  };
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && "code" in error && "metadata" in error && "details" in error;
