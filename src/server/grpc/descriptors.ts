/** An index of protobuf descriptor files, as reflection queries it: by name or by a declared symbol, each with all that it imports. */
import { toBinary, type DescFile } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";

/** The queries that the index answers. */
export interface Descriptors {
  /** Returns the file and all that it imports as encoded FileDescriptorProtos, that file first; undefined when there is no such file. */
  readonly file: (name: string) => readonly Uint8Array[] | undefined;
  /** Returns the name of the file that declares a symbol. */
  readonly declaring: (symbol: string) => string | undefined;
  readonly isMessage: (name: string) => boolean;
}

/** Indexes files. All imports of the files must be among them. */
export function indexDescriptors(files: readonly FileDescriptorProto[]): Descriptors {
  const byName = new Map(files.map((file) => [file.name, file]));
  const messages = new Set<string>();
  const symbols = new Map<string, string>();
  for (const file of files) {
    const declare = (name: string): string => {
      if (!symbols.has(name)) symbols.set(name, file.name);
      return name;
    };
    const within = (scope: string, name: string): string => (scope === "" ? name : `${scope}.${name}`);
    const declareEnum = (scope: string, { name, value }: EnumDescriptorProto): void => {
      declare(within(scope, name));
      // Enum values are declared in the scope that contains the enum.
      for (const one of value) declare(within(scope, one.name));
    };
    const declareMessage = (scope: string, message: DescriptorProto): void => {
      const name = declare(within(scope, message.name));
      messages.add(name);
      for (const { name: member } of [...message.field, ...message.oneofDecl, ...message.extension]) declare(`${name}.${member}`);
      for (const inner of message.nestedType) declareMessage(name, inner);
      for (const inner of message.enumType) declareEnum(name, inner);
    };
    for (const message of file.messageType) declareMessage(file.package, message);
    for (const one of file.enumType) declareEnum(file.package, one);
    for (const extension of file.extension) declare(within(file.package, extension.name));
    for (const service of file.service) {
      const name = declare(within(file.package, service.name));
      for (const method of service.method) declare(`${name}.${method.name}`);
    }
  }
  return {
    declaring: (symbol) => symbols.get(symbol),
    isMessage: (name) => messages.has(name),
    file: (name) => {
      if (!byName.has(name)) return undefined;
      const wanted = new Set([name]);
      // Iterating a Set also visits the items that are added meanwhile.
      for (const one of wanted) for (const imported of byName.get(one)?.dependency ?? []) wanted.add(imported);
      return [...wanted].flatMap((one) => {
        const file = byName.get(one);
        return file === undefined ? [] : [toBinary(FileDescriptorProtoSchema, file)];
      });
    },
  };
}

/** Returns the file descriptors of generated files and of all that they import. */
export function withImports(files: readonly DescFile[]): readonly FileDescriptorProto[] {
  const all = new Set(files);
  for (const file of all) for (const imported of file.dependencies) all.add(imported);
  return [...all].map(({ proto }) => proto);
}
