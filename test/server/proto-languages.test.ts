/** The .proto files of ours make a client in any language: alone, and with names that a programmer of that language expects. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const own = readdirSync("proto/authz", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".proto"))
  .map((path) => `authz/${path}`);
const textOf = (path: string): string => readFileSync(join("proto", path), "utf8");
const declared = (text: string, word: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^${word} (?:= )?"?([^";]+)"?;`, "gm"))].map(([, found = ""]) => found);

describe.each(own)("%s", (path) => {
  const text = textOf(path);

  test("needs no file but ours and those that come with every protobuf tool", () => {
    const others = declared(text, "import").filter((name) => !own.includes(name) && !name.startsWith("google/protobuf/"));
    expect(others).toEqual([]);
  });

  test("is of the folder of its package, and proto3, which is all that PHP can read", () => {
    expect([declared(text, "syntax"), declared(text, "package")]).toEqual([
      ["proto3"],
      [path.slice(0, path.lastIndexOf("/")).replaceAll("/", ".")],
    ]);
  });

  test("makes one Java class of each message, so that none is called by the name of its file", () => {
    expect(declared(text, "option java_multiple_files")).toEqual(["true"]);
  });

  // A path of Go names the host that it is downloaded from: nobody must be sent to one that we do not own.
  test("names no place on the internet", () => {
    expect(declared(text, "option go_package")).toEqual([]);
  });
});
