/** `base64.*` and `json.encode`. */
import { decodeBase64, encodeBase64 } from "../base64.ts";
import { global, type FunctionRow } from "../declare.ts";
import { EvalError, evalError } from "../error.ts";
import { toJson } from "../to-json.ts";
import { bytes, dyn, string } from "../type.ts";
import type { Value } from "../value.ts";

function encodeJson(value: Value): string | EvalError {
  const json = toJson(value);
  return json instanceof EvalError ? json : JSON.stringify(json);
}

export const encoders: readonly FunctionRow[] = [
  global("base64.encode", "base64_encode_bytes",  [bytes],  string, encodeBase64, [['base64.encode(b"hello")', '"aGVsbG8="'], ['base64.encode(b"")', '""']]),
  global("base64.decode", "base64_decode_string", [string], bytes,  (text) => decodeBase64(text) ?? evalError("invalid argument", "illegal base64 data"),
    [['base64.decode("aGVsbG8=")', 'b"hello"'], ['base64.decode("aGVsbG8")', 'b"hello"'], ['base64.decode("a")', "error: invalid argument"]]),
  global("json.encode",   "json_encode_dyn",      [dyn],    string, encodeJson,
    [['json.encode({"a": [1, 2.5, null]})', '"{\\"a\\":[1,2.5,null]}"'], ["json.encode(9007199254740993)", '"\\"9007199254740993\\""'], ["json.encode(int)", "error: invalid argument"]]),
];
