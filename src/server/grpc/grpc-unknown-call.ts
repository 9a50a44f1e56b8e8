/** Replaces grpc-js's error message for a call that is unknown by one that names the call of ours: clients of other servers of this protocol ask under another service name. */
import type { ServerHttp2Stream } from "node:http2";
import { status } from "@grpc/grpc-js";
import { nearest } from "../../../runtime/nearest.ts";
import { inBackticks } from "../../../runtime/wire/position.ts";
import { AuthzAdminService, AuthzService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";

const services = [AuthzService, AuthzAdminService];

/** Replaces the message on a stream that is about to be passed to grpc-js. */
export function replaceUnknownCallMessage(stream: ServerHttp2Stream, path: string): void {
  const [, called = "", method = ""] = path.split("/");
  if (services.some(({ typeName, methods }) => typeName === called && methods.some(({ name }) => name === method))) return;
  const sentence = explain(called, method);
  if (sentence === undefined) return;
  const respond = stream.respond.bind(stream);
  stream.respond = (headers, options) =>
    respond(headers?.["grpc-status"] === status.UNIMPLEMENTED ? { ...headers, "grpc-message": encodeURI(sentence) } : headers, options);
}

function explain(called: string, method: string): string | undefined {
  const own = services.find(({ typeName }) => typeName === called);
  if (own !== undefined) {
    const near = nearest(
      method,
      own.methods.map(({ name }) => name),
    );
    return `the service ${inBackticks(called)} has no call ${inBackticks(method)}${near === undefined ? "" : `: did you mean \`${near}\`?`}`;
  }
  const meant = services.find(({ methods }) => methods.some(({ name }) => name === method));
  return (
    meant &&
    `there is no service ${inBackticks(called)} here: ${inBackticks(method)} is a call of \`${meant.typeName}\`, with the same fields and numbers; generate a client from the .proto files of authz (docs/moving-in.md)`
  );
}
