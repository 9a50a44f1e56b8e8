/** Parses policy files to messages, and reports everything that is wrong with them, with positions. */
import { fromJsonString, toBinary } from "@bufbuild/protobuf";
import { PolicySchema, type Policy } from "../../../proto/gen/authz/policy/v1/policy_pb.js";
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import type { PolicyDocument } from "../../../compiler/policy/document.ts";
import { messageOfDocument } from "../../../compiler/policy/message.ts";
import { documentKey } from "../../../compiler/policy/names.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import type { Source } from "../../../compiler/source.ts";
import type { MapNode } from "../../../compiler/yaml/node.ts";
import { parseYaml } from "../../../compiler/yaml/parse.ts";
import { messageOf } from "../../refusal.ts";

/** A policy to upload. */
export interface LocalPolicy {
  readonly source: Source;
  /** Its syntax tree, with positions. */
  readonly node: MapNode;
  readonly key: string;
  readonly message: Policy;
  readonly bytes: number;
  /** Policies of a lower rank are uploaded first, because those of a higher rank may depend on them. */
  readonly rank: number;
}

/** Parses the policies of a source; only standard input may contain several documents. */
export function readLocalPolicies(source: Source, mayBeSeveral: boolean, report: (diagnostic: Diagnostic) => void): readonly LocalPolicy[] {
  if (!mayBeSeveral) return readOne(source, report);
  let isValid = true;
  const documents = parseYaml(source, (diagnostic) => {
    isValid = false;
    report(diagnostic);
  });
  return isValid ? documents.flatMap((document) => readOne(onlyDocument(source, document), report)) : [];
}

/** Returns a source with one document only, at its original position. */
function onlyDocument({ path, text }: Source, { span }: MapNode): Source {
  const blank = (between: string): string => between.replaceAll(/[^\r\n]/g, " ");
  return { path, text: blank(text.slice(0, span.start)) + text.slice(span.start, span.end) };
}

function readOne(source: Source, report: (diagnostic: Diagnostic) => void): readonly LocalPolicy[] {
  let isValid = true;
  const document = readPolicy(source, (diagnostic) => {
    isValid &&= diagnostic.severity !== "error";
    report(diagnostic);
  });
  const [node] = parseYaml(source, () => undefined);
  const json = node && messageOfDocument(node, () => undefined);
  if (!isValid || document === undefined || node === undefined || json === undefined) return [];
  try {
    const message = withoutStoreMetadata(fromJsonString(PolicySchema, JSON.stringify(json)));
    const bytes = toBinary(PolicySchema, message).length;
    return [{ source, node, key: documentKey(document), message, bytes, rank: rankOf(document) }];
  } catch (error) {
    report({ code: "invalid-document", severity: "error", source, message: `this cannot be sent: ${messageOf(error)}` });
    return [];
  }
}

/** Removes the metadata that a store adds to a policy when it returns it. */
export function withoutStoreMetadata(policy: Policy): Policy {
  const { metadata, ...rest } = policy;
  if (metadata === undefined) return policy;
  const { annotations, $typeName } = metadata;
  return Object.keys(annotations).length === 0
    ? rest
    : { ...rest, metadata: { $typeName, annotations, sourceFile: "", storeIdentifer: "", storeIdentifier: "" } };
}

function rankOf(document: PolicyDocument): number {
  switch (document.kind) {
    case "exportConstants":
    case "exportVariables":
      return 0;
    case "derivedRoles":
      return 1;
    case "resource":
    case "principal":
    case "role":
      return 2 + (document.scope.value === "" ? 0 : document.scope.value.split(".").length);
  }
}
