/** Texts of files -> the policies in them as messages, or everything that is wrong with them, with its place. */
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

/** A policy that can be sent. */
export interface LocalPolicy {
  readonly source: Source;
  /** What its author wrote, with places. */
  readonly node: MapNode;
  readonly key: string;
  readonly message: Policy;
  readonly bytes: number;
  /** Policies of a lower rank go first: those of a higher one may lean on them. */
  readonly rank: number;
}

/** Reads the policies of a text; only standard input may hold several, as documents. */
export function readLocalPolicies(source: Source, mayBeSeveral: boolean, report: (diagnostic: Diagnostic) => void): readonly LocalPolicy[] {
  if (!mayBeSeveral) return readOne(source, report);
  let isSound = true;
  const documents = parseYaml(source, (diagnostic) => {
    isSound = false;
    report(diagnostic);
  });
  return isSound ? documents.flatMap((document) => readOne(alone(source, document), report)) : [];
}

/** A source with one document only, at the place where it stands. */
function alone({ path, text }: Source, { span }: MapNode): Source {
  const blank = (between: string): string => between.replaceAll(/[^\r\n]/g, " ");
  return { path, text: blank(text.slice(0, span.start)) + text.slice(span.start, span.end) };
}

function readOne(source: Source, report: (diagnostic: Diagnostic) => void): readonly LocalPolicy[] {
  let isSound = true;
  const document = readPolicy(source, (diagnostic) => {
    isSound &&= diagnostic.severity !== "error";
    report(diagnostic);
  });
  const [node] = parseYaml(source, () => undefined);
  const json = node && messageOfDocument(node, () => undefined);
  if (!isSound || document === undefined || node === undefined || json === undefined) return [];
  try {
    const message = withoutStoreWords(fromJsonString(PolicySchema, JSON.stringify(json)));
    const bytes = toBinary(PolicySchema, message).length;
    return [{ source, node, key: documentKey(document), message, bytes, rank: rankOf(document) }];
  } catch (error) {
    report({ code: "invalid-document", severity: "error", source, message: `this cannot be sent: ${messageOf(error)}` });
    return [];
  }
}

/** What a store said of a policy when it gave it out is not part of the policy. */
export function withoutStoreWords(policy: Policy): Policy {
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
