/** Replaces grpc-js's error message for a call that is unknown by one that names the call of ours: clients of other servers of this protocol ask under another service name. */
import type { ServerHttp2Stream } from "node:http2";
import { status } from "@grpc/grpc-js";
import { nearest } from "../../../runtime/nearest.ts";
import { inBackticks } from "../../../runtime/wire/position.ts";
import { AuthzAdminService, AuthzService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";

/** Replaces the message on a stream that is about to be passed to grpc-js. */
export function replaceUnknownCallMessage(stream: ServerHttp2Stream, path: string): void {
  const respond = stream.respond.bind(stream);
  stream.respond = (headers, options) => {
    const sentence = headers?.["grpc-status"] === status.UNIMPLEMENTED ? explain(path) : undefined;
    return respond(sentence === undefined ? headers : { ...headers, "grpc-message": encodeURI(sentence) }, options);
  };
}

const withAdministration =
  "reflection and channelz are served only with the administration API (setting server.adminAPI.enabled); to call without reflection, give your client the .proto files of authz (docs/clients.md)";

/** Returns undefined for a call of ours, which has a message of its own, and where nothing is known. */
function explain(path: string): string | undefined {
  const [, called = "", method = ""] = path.split("/");
  // Tools such as grpcurl ask for it first. With the administration API, these services are known, and this is never reached.
  if (/^grpc\.(?:reflection|channelz)\./.test(called)) return withAdministration;
  // Here, because the first use loads the descriptors of all messages, which takes long.
  const services = [AuthzService, AuthzAdminService];
  const own = services.find(({ typeName }) => typeName === called);
  if (own !== undefined) {
    if (own.methods.some(({ name }) => name === method)) return undefined;
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
