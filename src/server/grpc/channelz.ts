/** Channelz: what grpc-js knows about its own connections, for operators; the file that describes it, for reflection. */
import { fromBinary, type DescFile } from "@bufbuild/protobuf";
import {
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  FileDescriptorProtoSchema,
  type DescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import { addAdminServicesToServer, getChannelzServiceDefinition, type Server } from "@grpc/grpc-js";

const channelzPackage = "grpc.channelz.v1";

/** Adds `grpc.channelz.v1.Channelz` to a server. The server must have been created with `grpc.enable_channelz` other than 0. */
export function addChannelz(server: Server): void {
  addAdminServicesToServer(server);
}

/** The files that the descriptor of the service imports. */
export const channelzImports = (): readonly DescFile[] => [
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
];

/** Returns the file descriptor of the service; undefined should grpc-js no longer contain it. */
export function channelzFile(): FileDescriptorProto | undefined {
  const files = Object.values(getChannelzServiceDefinition()).flatMap(describing);
  const file = files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes)).find((each) => each.package === channelzPackage);
  if (file === undefined) return undefined;
  // grpc-js's loader drops the file's name and its imports, and shortens type names.
  const known = new Set(file.messageType.flatMap((message) => namesIn(channelzPackage, message)));
  return {
    ...file,
    name: "grpc/channelz/v1/channelz.proto",
    dependency: channelzImports().map(({ proto }) => proto.name),
    messageType: file.messageType.map((message) => withWholeNames(channelzPackage, message, known)),
    service: file.service.map((service) => ({
      ...service,
      method: service.method.map((method) => ({
        ...method,
        inputType: wholeName(channelzPackage, method.inputType, known),
        outputType: wholeName(channelzPackage, method.outputType, known),
      })),
    })),
  };
}

function withWholeNames(scope: string, message: DescriptorProto, known: ReadonlySet<string>): DescriptorProto {
  const own = `${scope}.${message.name}`;
  const whole = (field: FieldDescriptorProto): FieldDescriptorProto =>
    field.typeName === "" ? field : { ...field, typeName: wholeName(own, field.typeName, known) };
  return { ...message, field: message.field.map(whole), nestedType: message.nestedType.map((inner) => withWholeNames(own, inner, known)) };
}

/** Resolves a type name, from the innermost scope outwards. */
function wholeName(scope: string, name: string, known: ReadonlySet<string>): string {
  if (name.startsWith(".")) return name;
  for (let within = scope; within !== ""; within = within.slice(0, Math.max(within.lastIndexOf("."), 0)))
    if (known.has(`${within}.${name}`)) return `.${within}.${name}`;
  return `.${name}`;
}

function namesIn(scope: string, message: DescriptorProto): readonly string[] {
  const own = `${scope}.${message.name}`;
  return [own, ...message.enumType.map(({ name }) => `${own}.${name}`), ...message.nestedType.flatMap((inner) => namesIn(own, inner))];
}

/** Returns the encoded file descriptors that the loader attaches to the message types of a method; its types do not declare them. */
function describing(method: object): readonly Uint8Array[] {
  const types = "requestType" in method && "responseType" in method ? [method.requestType, method.responseType] : [];
  return types.flatMap((type) => {
    const files = typeof type === "object" && type !== null && "fileDescriptorProtos" in type ? type.fileDescriptorProtos : [];
    return Array.isArray(files) ? files.filter((file) => file instanceof Uint8Array) : [];
  });
}
