/** gRPC reflection, in both of its versions: tools learn from it which services there are and what their messages hold. */
import { create, fromBinary, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import type { Server, ServerDuplexStream } from "@grpc/grpc-js";
import { file_authz_svc_v1_svc } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { file_buf_validate_violations } from "../../../proto/gen/buf/validate/violations_pb.js";
import { file_google_rpc_status } from "../../../proto/gen/google/rpc/status_pb.js";
import { file_grpc_health_v1_health, Health } from "../../../proto/gen/grpc/health/v1/health_pb.js";
import {
  file_grpc_reflection_v1_reflection,
  ServerReflection,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
  type ServerReflectionRequest,
} from "../../../proto/gen/grpc/reflection/v1/reflection_pb.js";
import {
  file_grpc_reflection_v1alpha_reflection,
  ServerReflection as EarlierReflection,
} from "../../../proto/gen/grpc/reflection/v1alpha/reflection_pb.js";
import { channelzFile, channelzImports } from "./channelz.ts";
import { indexDescriptors, withImports, type Descriptors } from "./descriptors.ts";
import { bytesService, statusOf } from "./grpc-codec.ts";
import { adminService, mainService } from "../health.ts";
import { codes, failure } from "../calls/reply.ts";

/**
 * The services that reflection lists. It is served only together with the administration API and channelz, so both are listed
 * unconditionally.
 */
const services = (): readonly string[] => [
  mainService,
  adminService,
  "grpc.channelz.v1.Channelz",
  Health.typeName,
  ServerReflection.typeName,
  EarlierReflection.typeName,
];

type Stream = ServerDuplexStream<Buffer, Buffer>;
type Answer = Exclude<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"], undefined>;

/** The reflection streams that are open. */
export interface Reflections {
  /** Ends every stream, because a client may keep one open forever. */
  readonly end: () => void;
}

/** Adds both versions of reflection to a server. Their messages are identical on the wire. */
export function addReflection(server: Server): Reflections {
  const streams = new Set<Stream>();
  let known: Descriptors | undefined;
  const descriptors = (): Descriptors => (known ??= openDescriptors());
  const ServerReflectionInfo = (call: Stream): void => {
    streams.add(call);
    call.on("close", () => void streams.delete(call));
    call.on("data", (bytes: Buffer) => {
      let request: ServerReflectionRequest;
      try {
        request = fromBinary(ServerReflectionRequestSchema, bytes);
      } catch {
        return void call.emit("error", statusOf(failure("INTERNAL", "the request is not a ServerReflectionRequest")));
      }
      const response = create(ServerReflectionResponseSchema, {
        validHost: request.host,
        originalRequest: request,
        messageResponse: answer(descriptors(), request.messageRequest),
      });
      // Backpressure: a client that does not read its responses gets no more until it does.
      if (!call.write(Buffer.from(toBinary(ServerReflectionResponseSchema, response)))) {
        call.pause();
        call.once("drain", () => call.resume());
      }
    });
    call.on("end", () => call.end());
    call.on("cancelled", () => call.end());
  };
  for (const service of [ServerReflection, EarlierReflection]) server.addService(bytesService(service), { ServerReflectionInfo });
  return {
    end: () => {
      for (const stream of streams) stream.end();
    },
  };
}

function openDescriptors(): Descriptors {
  const channelz = channelzFile();
  const files = withImports([
    file_authz_svc_v1_svc,
    file_grpc_health_v1_health,
    file_grpc_reflection_v1_reflection,
    file_grpc_reflection_v1alpha_reflection,
    file_google_rpc_status,
    file_buf_validate_violations,
    ...channelzImports(),
  ]);
  return indexDescriptors(channelz === undefined ? files : [...files, channelz]);
}

function answer(descriptors: Descriptors, asked: ServerReflectionRequest["messageRequest"]): Answer {
  switch (asked.case) {
    case "listServices":
      return { case: "listServicesResponse", value: { service: services().map((name) => ({ name })) } };
    case "fileByFilename":
      return fileAnswer(descriptors, asked.value) ?? refused("NOT_FOUND", `no file \`${asked.value}\``);
    case "fileContainingSymbol": {
      const file = descriptors.declaring(asked.value);
      return (file === undefined ? undefined : fileAnswer(descriptors, file)) ?? refused("NOT_FOUND", `no symbol \`${asked.value}\``);
    }
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = asked.value;
      return refused("NOT_FOUND", `no extension ${extensionNumber} of \`${containingType}\``);
    }
    case "allExtensionNumbersOfType":
      // None of our files has extensions.
      return descriptors.isMessage(asked.value)
        ? { case: "allExtensionNumbersResponse", value: { baseTypeName: asked.value } }
        : refused("NOT_FOUND", `no message \`${asked.value}\``);
    default:
      return refused("INVALID_ARGUMENT", "the request asks for nothing");
  }
}

function fileAnswer(descriptors: Descriptors, name: string): Answer | undefined {
  const files = descriptors.file(name);
  return files && { case: "fileDescriptorResponse", value: { fileDescriptorProto: [...files] } };
}

function refused(code: "NOT_FOUND" | "INVALID_ARGUMENT", message: string): Answer {
  return { case: "errorResponse", value: { errorCode: codes[code].code, errorMessage: message } };
}
