/** The gRPC handlers of every call: the request message becomes JSON for the service, its reply a message again. */
import type { DescMethod } from "@bufbuild/protobuf";
import {
  Metadata,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type sendUnaryData,
  type Server,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { AuthzAdminService, AuthzService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { messageOf } from "../../refusal.ts";
import { version } from "../../version.ts";
import { unaryMethods, type Call, type UnaryMethod } from "../calls/call.ts";
import { bytesService, replyBytes, requestText, statusOf } from "./grpc-codec.ts";
import { callHeadersOf, peerHeader } from "./grpc-headers.ts";
import { failure, type Reply } from "../calls/reply.ts";
import type { Service } from "../service.ts";
import type { UnreadResponses } from "../unread-responses.ts";

const isUnary = (name: string): name is UnaryMethod => Object.hasOwn(unaryMethods, name);

/** What the handlers depend on. */
export interface CallOptions {
  readonly admin: boolean;
  readonly unread: UnreadResponses;
  /** The most values that the request of a check may hold. */
  readonly maxValues: number;
}

/** Adds every call of our two services to a server. Calls of a disabled service answer with UNIMPLEMENTED. */
export function addCalls(server: Server, service: Service, { admin, unread, maxValues }: CallOptions): void {
  for (const description of [AuthzService, AuthzAdminService]) {
    const disabled = description === AuthzAdminService && !admin;
    const handlers: UntypedServiceImplementation = {};
    for (const method of description.methods) {
      if (disabled) handlers[method.name] = refused(method, "the administration API is disabled (setting server.adminAPI.enabled)");
      else if (isUnary(method.name))
        handlers[method.name] = unary(method, method.name, service, {
          unread,
          maxValues: description === AuthzService ? maxValues : Infinity,
        });
      else if (method.name === "ListAuditLogEntries") handlers[method.name] = entries(method, service);
      else handlers[method.name] = refused(method, `${method.name} is not supported by this server`);
    }
    server.addService(bytesService(description), handlers);
  }
}

function unary(
  method: DescMethod,
  name: UnaryMethod,
  service: Service,
  { unread, maxValues }: Pick<CallOptions, "unread" | "maxValues">,
): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    const send = (reply: Reply): void => {
      if (call.cancelled) return; // The caller went away, or its deadline passed, while we waited for another machine.
      call.sendMetadata(sentMetadata);
      answer(method, unread.admit(reply), callback);
    };
    const { request } = call;
    const reply = service.call(
      name,
      () => requestText(method.input, request, maxValues),
      callOf(call.metadata),
      name === "CheckResources" ? request.toString("latin1") : undefined,
    );
    if (reply instanceof Promise) void reply.then(send);
    else send(reply);
  };
}

function answer(method: DescMethod, reply: Reply, callback: sendUnaryData<Buffer>): void {
  if (reply.code !== 0) return callback(statusOf(reply));
  let bytes: Buffer;
  try {
    bytes = reply.message === undefined ? replyBytes(method.output, reply.text) : Buffer.from(reply.message, "latin1");
  } catch (error) {
    return callback(statusOf(failure("INTERNAL", `the reply cannot be encoded: ${messageOf(error)}`)));
  }
  callback(null, bytes);
}

function entries(method: DescMethod, service: Service): handleServerStreamingCall<Buffer, Buffer> {
  return (call) => {
    const refuse = (reply: Reply): void => void (call.cancelled || call.emit("error", statusOf(reply)));
    const send = async (): Promise<void> => {
      const listed = await service.listAuditLogEntries(() => requestText(method.input, call.request), callOf(call.metadata));
      if (!(Symbol.asyncIterator in listed)) return refuse(listed);
      call.sendMetadata(sentMetadata);
      for await (const text of listed) {
        if (call.cancelled) return;
        if (!call.write(replyBytes(method.output, text))) await drained(call);
      }
      call.end();
    };
    send().catch((error: unknown) => refuse(failure("INTERNAL", `the list ended early: ${messageOf(error)}`)));
  };
}

/** Resolves when the stream can be written to again, or has ended. */
function drained(call: Parameters<handleServerStreamingCall<Buffer, Buffer>>[0]): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      call.off("drain", done).off("cancelled", done).off("close", done);
      resolve();
    };
    call.on("drain", done).on("cancelled", done).on("close", done);
  });
}

function refused(method: DescMethod, sentence: string): handleUnaryCall<Buffer, Buffer> | handleServerStreamingCall<Buffer, Buffer> {
  const status = statusOf(failure("UNIMPLEMENTED", sentence));
  if (method.methodKind === "server_streaming")
    return (call: Parameters<handleServerStreamingCall<Buffer, Buffer>>[0]) => void call.emit("error", status);
  return (_call: unknown, callback: sendUnaryData<Buffer>) => callback(status);
}

/** The response metadata of every call; shared, because it is never modified. */
const sentMetadata = new Metadata();
sentMetadata.set("authz-version", version);

/** Describes a call by its metadata, which also carries the client's address. */
function callOf(metadata: Metadata): Call {
  const headers = callHeadersOf(metadata);
  return { transport: "grpc", peer: headers.get(peerHeader) ?? "unknown", headers };
}
