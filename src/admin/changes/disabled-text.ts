/** Enables or disables a policy in its source: only the field `disabled` is edited, so that comments and layout stay. */
import { isDeepStrictEqual } from "node:util";
import { policyMessage } from "../../../compiler/policy/message.ts";
import type { MapEntry, MapNode } from "../../../compiler/yaml/node.ts";
import { parseYaml } from "../../../compiler/yaml/parse.ts";
import { policyText, withNeutralNames } from "./policy-text.ts";

/** The source of a policy. */
interface Written {
  readonly path: string;
  readonly text: string;
}

/** Returns the source with the policy disabled or enabled; undefined when it cannot be parsed. */
export function withDisabled({ path, text }: Written, isDisabled: boolean): string | undefined {
  const before = policyMessage({ path, text });
  if (before === undefined) return undefined;
  if ((before["disabled"] === true) === isDisabled) return text;
  const { disabled: _, ...others } = before;
  const wanted = isDisabled ? { ...others, disabled: true } : others;
  const [document] = parseYaml({ path, text }, () => undefined);
  for (const edited of document === undefined ? [] : edits(document, text, isDisabled))
    if (isDeepStrictEqual(policyMessage({ path, text: edited }), { ...wanted })) return edited;
  // A small edit would change the meaning, for example because of merge keys: print the policy again, without its comments.
  return policyText(withNeutralNames(wanted), path);
}

/** Yields candidate edits, the best first. Each result is parsed and verified before it is used. */
function* edits(document: MapNode, text: string, isDisabled: boolean): Generator<string> {
  const at = document.entries.findIndex(({ key }) => key.text === "disabled");
  const entry = document.entries[at];
  const isFlow = text.startsWith("{", document.span.start);
  const replaced = (start: number, end: number, by: string): string => text.slice(0, start) + by + text.slice(end);
  if (isDisabled) {
    if (entry !== undefined) return yield replaced(entry.value.span.start, entry.value.span.end, "true");
    const [first] = document.entries;
    if (first === undefined) return;
    yield* document.entries
      .filter(({ key }) => key.text === "apiVersion")
      .map((after) => (isFlow ? behindInFlow(document, after, text) : behindInBlock(after, text)));
    yield replaced(
      first.key.span.start,
      first.key.span.start,
      isFlow ? `${quoted(first, text)}: true, ` : `disabled: true${newLine(text)}${indentation(first, text)}`,
    );
    return;
  }
  if (entry === undefined) return;
  const [previous, next] = [document.entries[at - 1], document.entries[at + 1]];
  if (isFlow) {
    if (previous !== undefined) yield replaced(previous.value.span.end, entry.value.span.end, "");
    else if (next !== undefined) yield replaced(entry.key.span.start, next.key.span.start, "");
  } else {
    const start = text.lastIndexOf("\n", entry.key.span.start) + 1;
    const end = text.indexOf("\n", entry.value.span.end);
    const line = text.slice(start, end === -1 ? undefined : end);
    // If there is a comment beside the field, both stay, and only the value is edited.
    if (/^\s*(?:disabled|"disabled"|'disabled')\s*:\s*true\s*$/i.test(line))
      yield end === -1 ? replaced(start === 0 ? 0 : lineEndBefore(text, start), text.length, "") : replaced(start, end + 1, "");
  }
  yield replaced(entry.value.span.start, entry.value.span.end, "false");
}

/** Inserts on the following line. */
function behindInBlock({ key, value }: MapEntry, text: string): string {
  const found = text.indexOf("\n", value.span.end);
  const end = found === -1 ? text.length : text.charAt(found - 1) === "\r" ? found - 1 : found;
  return `${text.slice(0, end)}${newLine(text)}${indentation({ key }, text)}disabled: true${text.slice(end)}`;
}

/** Inserts with the same white space that the other entry has before it. */
function behindInFlow({ span }: MapNode, entry: MapEntry, text: string): string {
  const before = /\s*$/.exec(text.slice(span.start, entry.key.span.start))?.[0] ?? "";
  const { end } = entry.value.span;
  return `${text.slice(0, end)},${before === "" ? " " : before}${quoted(entry, text)}: true${text.slice(end)}`;
}

const quoted = ({ key }: Pick<MapEntry, "key">, text: string): string => {
  const quote = text.charAt(key.span.start);
  return quote === '"' || quote === "'" ? `${quote}disabled${quote}` : "disabled";
};

const newLine = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

/** Returns the white space before a key on its line. */
function indentation({ key }: Pick<MapEntry, "key">, text: string): string {
  const line = text.slice(text.lastIndexOf("\n", key.span.start - 1) + 1, key.span.start);
  return /^\s*$/.test(line) ? line : "";
}

const lineEndBefore = (text: string, start: number): number => (text.slice(start - 2, start) === "\r\n" ? start - 2 : start - 1);
