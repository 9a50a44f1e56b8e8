/**
 * The client side of git's upload-pack protocol, versions 2 and 0, over any transport: finds the commit of a branch, and fetches a pack
 * of what is new.
 */
import { refusal } from "../../refusal.ts";
import { cutOff, delimiter, flush, line, textOf, type Lines } from "./lines.ts";

/** What a server announces first. */
export type Greeting =
  | { readonly version: 2; readonly capabilities: ReadonlySet<string> }
  | { readonly version: 0; readonly capabilities: ReadonlySet<string>; readonly refs: ReadonlyMap<string, string> };

const agent = "agent=authz";
/** The most refs that are read. */
const maxRefs = 500_000;

/** Reads the greeting. */
export async function readGreeting(lines: Lines): Promise<Greeting> {
  let first = await lines.next();
  if (first instanceof Buffer && textOf(first).startsWith("# service=")) {
    await lines.next(); // the flush after it
    first = await lines.next();
  }
  if (first instanceof Buffer && textOf(first) === "version 2") {
    const capabilities = new Set<string>();
    for (let next = await lines.next(); next !== "flush"; next = await lines.next()) {
      if (!(next instanceof Buffer)) throw cutOff();
      capabilities.add(textOf(next));
    }
    return checked({ version: 2, capabilities });
  }
  const refs = new Map<string, string>();
  let capabilities: readonly string[] = [];
  for (let next = first; next !== "flush"; next = await lines.next()) {
    if (!(next instanceof Buffer)) throw cutOff();
    refuseError(next);
    const [ref = "", told] = textOf(next).split("\0");
    if (ref === "version 1") continue;
    if (told !== undefined) capabilities = told.split(" ").filter((one) => one !== "");
    const [id = "", name = ""] = ref.split(" ", 2);
    if (name !== "capabilities^{}") refs.set(name, id);
    if (refs.size > maxRefs) throw refusal(`the repository has more than ${maxRefs} branches and tags`);
  }
  return checked({ version: 0, capabilities: new Set(capabilities), refs });
}

function checked(greeting: Greeting): Greeting {
  const format = [...greeting.capabilities].find((one) => one.startsWith("object-format="));
  if (format !== undefined && format !== "object-format=sha1")
    throw refusal(`the repository's objects are named by ${format.slice(14)}, which is not supported: only sha1 is`);
  return greeting;
}

/** Returns the request for branches with a prefix (version 2). */
export function askForBranches(greeting: Greeting, prefix: string): string {
  return [line("command=ls-refs"), ...said(greeting), delimiter, line(`ref-prefix ${prefix}`), flush].join("");
}

/** Reads the answer: ids by branch name. */
export async function readBranches(lines: Lines): Promise<ReadonlyMap<string, string>> {
  const refs = new Map<string, string>();
  for (let next = await lines.next(); next !== "flush"; next = await lines.next()) {
    if (!(next instanceof Buffer)) throw cutOff();
    refuseError(next);
    const [id = "", name = ""] = textOf(next).split(" ", 3);
    refs.set(name, id);
    if (refs.size > maxRefs) throw refusal(`the repository has more than ${maxRefs} branches and tags`);
  }
  return refs;
}

/** Returns the request for a commit without its history, given one that is present already. */
export function askForPack(greeting: Greeting, want: string, have: string | undefined): string {
  const known = have === undefined ? [] : [line(`shallow ${have}`)];
  const had = have === undefined ? [] : [line(`have ${have}`)];
  // Without `thin-pack`, servers send a shallow commit completely, whatever is present.
  const thin = have === undefined ? [] : ["thin-pack"];
  if (greeting.version === 2) {
    const about = [
      ...thin.map(line),
      line("ofs-delta"),
      line("no-progress"),
      line(`want ${want}`),
      ...known,
      line("deepen 1"),
      ...had,
      line("done"),
    ];
    return [line("command=fetch"), ...said(greeting), delimiter, ...about, flush].join("");
  }
  if (!greeting.capabilities.has("shallow")) throw refusal("the server cannot send a commit without its history");
  const abilities = ["multi_ack_detailed", ...thin, "side-band-64k", "ofs-delta", "no-progress"].filter((one) =>
    greeting.capabilities.has(one),
  );
  if (!abilities.includes("side-band-64k")) throw refusal("the server speaks an old version of the git protocol, which is not supported");
  return [line(`want ${want} ${[...abilities, agent].join(" ")}`), ...known, line("deepen 1"), flush, ...had, line("done")].join("");
}

function said(greeting: Greeting): readonly string[] {
  return [line(agent), ...(greeting.capabilities.has("object-format=sha1") ? [line("object-format=sha1")] : [])];
}

/** Reads the pack of the answer. */
export async function readPackAnswer(lines: Lines, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let isPack = false; ;) {
    const next = await lines.next();
    if (next === undefined) throw cutOff();
    if (!(next instanceof Buffer)) {
      if (isPack && next === "flush") return Buffer.concat(parts);
      continue;
    }
    const band = next[0];
    if (band !== undefined && band > 0 && band < 4) {
      isPack = true;
      if (band === 3) throw refusal(`the server gives up: ${spoken(next.subarray(1))}`);
      if (band === 2) continue;
      bytes += next.length - 1;
      if (bytes > maxBytes)
        throw refusal(`the server sends more than ${maxBytes} bytes: name a repository that holds little besides policies`);
      parts.push(Buffer.from(next.subarray(1)));
    } else refuseError(next);
  }
}

function refuseError(one: Buffer): void {
  const text = one.toString("utf8", 0, 4) === "ERR " ? spoken(one.subarray(4)) : undefined;
  if (text !== undefined) throw refusal(`the server refuses: ${text}`);
}

/** Returns a server's message, shortened and without control characters. */
function spoken(bytes: Buffer): string {
  return bytes
    .toString("utf8", 0, 300)
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
}
