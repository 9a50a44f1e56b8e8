/** The tokens of recorded requests, signed again with keys of ours, as old as they were when they were sent. */
import { sign } from "node:crypto";
import type { Exchange } from "./exchanges.ts";
import type { Keys } from "./servers.ts";

const token = /[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g;

/** Returns a request's body with tokens that we can verify, or cannot for the recorded reason. */
export function withTokens({ name, at, request }: Exchange, keys: Keys): string | null {
  const passed = at === 0 ? 0 : Math.round((Date.now() - at) / 1000);
  return request.body?.replaceAll(token, (written) => again(written, passed, /badsig/.test(name), keys)) ?? null;
}

function again(written: string, passed: number, broken: boolean, keys: Keys): string {
  const [header = "", payload = "", signature = ""] = written.split(".");
  const { alg } = read(header);
  if (alg === undefined || (signature !== "" && alg !== "ES256" && alg !== "RS256")) return written;
  const claims = read(payload);
  for (const time of ["exp", "nbf", "iat"]) if (typeof claims[time] === "number") claims[time] += passed;
  const text = `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  if (signature === "") return `${text}.`;
  const signed =
    alg === "ES256"
      ? sign("sha256", Buffer.from(broken ? `${text} ` : text), { key: keys.elliptic, dsaEncoding: "ieee-p1363" })
      : sign("sha256", Buffer.from(text), keys.rsa);
  return `${text}.${signed.toString("base64url")}`;
}

/** The parts of a token that are looked at here. */
type Part = { [name: string]: string | number | undefined };

function read(part: string): Part {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return {};
  }
}

/** Returns the key id of a recorded token. */
export function keyIdOf(body: string | null): string {
  const [first = ""] = body?.match(token) ?? [];
  return String(read(first.split(".", 1)[0] ?? "")["kid"] ?? "");
}
