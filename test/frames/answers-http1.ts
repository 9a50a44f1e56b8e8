/** Answers over HTTP/1.1 as a strict reader reads them (RFC 9112). */

/** An answer; `isWhole` says whether its end came. */
export interface Http1Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  readonly isWhole: boolean;
}

/** Reads answers to requests of these methods; throws where the bytes are none. Interim answers are left out, and counted. */
export function readHttp1(
  bytes: Buffer,
  methods: readonly string[],
): { readonly answers: readonly Http1Answer[]; readonly interim: number } {
  const answers: Http1Answer[] = [];
  let [at, interim] = [0, 0];
  while (at < bytes.length) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end === -1) {
      if (!"HTTP/1.1 ".startsWith(bytes.toString("latin1", at, Math.min(at + 9, bytes.length)))) throw unreadable(bytes, at);
      break;
    }
    const [line = "", ...lines] = bytes.toString("latin1", at, end).split("\r\n");
    const [, status] = /^HTTP\/1\.1 (\d{3}) [\w -]+$/.exec(line) ?? [];
    if (status === undefined) throw unreadable(bytes, at);
    const headers = new Map<string, string>();
    for (const header of lines) {
      const [, name = "", value = ""] = /^([\w-]+): ?(.*)$/.exec(header) ?? [];
      if (name === "") throw new Error(`\`${header}\` is no header`);
      if (/^(content-length|transfer-encoding|content-type)$/i.test(name) && headers.has(name.toLowerCase()))
        throw new Error(`the header ${name} comes twice`);
      headers.set(name.toLowerCase(), value);
    }
    at = end + 4;
    if (status === "100") {
      interim++;
      continue;
    }
    // A head that is not whole is refused by whoever has not seen whose it is.
    const hasNone = (methods[answers.length] === "HEAD" && status !== "400" && status !== "408") || status === "204" || status === "304";
    const { body, next, isWhole } = hasNone ? { body: Buffer.alloc(0), next: at, isWhole: true } : readBody(bytes, at, headers);
    answers.push({ status: Number(status), headers, body, isWhole });
    at = next;
    if (!isWhole) break;
  }
  return { answers, interim };
}

function readBody(
  bytes: Buffer,
  from: number,
  headers: ReadonlyMap<string, string>,
): { readonly body: Buffer; readonly next: number; readonly isWhole: boolean } {
  const length = headers.get("content-length");
  if (length !== undefined) {
    if (headers.has("transfer-encoding")) throw new Error("an answer has both a length and an encoding");
    const next = from + Number(length);
    return { body: bytes.subarray(from, next), next, isWhole: next <= bytes.length };
  }
  if (headers.get("transfer-encoding") !== "chunked") throw new Error("an answer has neither a length nor chunks");
  const chunks: Buffer[] = [];
  for (let at = from; ;) {
    const end = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
    const next = end + 2 + size + 2;
    if (end === -1 || next > bytes.length) return { body: Buffer.concat(chunks), next: bytes.length, isWhole: false };
    if (Number.isNaN(size)) throw unreadable(bytes, at);
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = next;
    if (size === 0) return { body: Buffer.concat(chunks), next: at, isWhole: true };
  }
}

const unreadable = (bytes: Buffer, at: number): Error =>
  new Error(`this is no answer: ${JSON.stringify(bytes.toString("latin1", at, at + 200))}`);
