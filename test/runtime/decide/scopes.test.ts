/** Which scopes are asked, in which order, and what stands in for what a request leaves open. */
import { describe, expect, it } from "vitest";
import { keyOf, sanitiseName } from "../../../runtime/decide/policy-name.ts";
import { scopeChain, scopeSet, scopeUsed, versionUsed } from "../../../runtime/decide/scopes.ts";

describe("the chain of scopes", () => {
  const existing = scopeSet(["", "acme", "acme.hr", "other.deep.er"]);

  it.each<[asked: string, strict: readonly string[], lenient: readonly string[]]>([
    ["", [""], [""]],
    ["acme", ["acme", ""], ["acme", ""]],
    ["acme.hr", ["acme.hr", "acme", ""], ["acme.hr", "acme", ""]],
    ["acme.hr.nope", [], ["acme.hr", "acme", ""]],
    ["nope", [], [""]],
    ["other.deep.er", ["other.deep.er", ""], ["other.deep.er", ""]],
    ["other.deep", [], [""]],
    ["acme.hrx", [], ["acme", ""]],
    ["acmehr.deep.scope.of.many", [], [""]],
    ["a.".repeat(100_000), [], [""]],
  ])("of %s", (asked, strict, lenient) => {
    expect(scopeChain(existing, asked, false)).toEqual(strict);
    expect(scopeChain(existing, asked, true)).toEqual(lenient);
  });

  it("is empty where no policy is", () => {
    expect(scopeChain(scopeSet([]), "", false)).toEqual([]);
    expect(scopeChain(scopeSet([]), "a.b", true)).toEqual([]);
  });
});

describe("what a request leaves open", () => {
  it.each<[asked: string | undefined, byDefault: string, used: string]>([
    [undefined, "", ""],
    ["", "acme", "acme"],
    [".", "acme", ""],
    [".acme", "x", "acme"],
    ["acme", "x", "acme"],
    [undefined, ".acme", "acme"],
    ["..a", "", ".a"],
  ])("scope %j beside the default %j is %j", (asked, byDefault, used) => {
    expect(scopeUsed(asked, byDefault)).toBe(used);
  });

  it.each<[asked: string | undefined, used: string]>([
    [undefined, "default"],
    ["", "default"],
    ["v2", "v2"],
  ])("version %j is %j", (asked, used) => {
    expect(versionUsed(asked, "default")).toBe(used);
  });
});

describe("names in keys", () => {
  it.each([
    ["my-res@@x.y//z", "my_res_x.y_z"],
    ["doc:pdf", "doc_pdf"],
    ["doc:9x", "doc:9x"],
    ["arn:aws:x:123", "arn:aws:x:123"],
    ["a b", "a b"],
    ["leave_*", "leave_*"],
    ["leave_x:y", "leave_x_y"],
    ["a-b:c--d", "a_b_c_d"],
    ["9x", "9x"],
    ["", ""],
    ["__proto__", "__proto__"],
    ["-a", "-a"],
    ["a-", "a_"],
  ])("%s becomes %s", (name, sanitised) => {
    expect(sanitiseName(name)).toBe(sanitised);
    expect(sanitiseName(sanitised)).toBe(sanitised);
  });

  it("are read in time that grows with their length", () => {
    expect(sanitiseName(`a${":a".repeat(100_000)}!`)).toContain(":");
  });

  it.each([
    ["doc", "default", "", "resource.doc.vdefault"],
    ["doc", "v2", "acme.hr", "resource.doc.vv2/acme.hr"],
  ])("%s %s %s", (name, version, scope, key) => {
    expect(keyOf("resource", name, version, scope)).toBe(key);
  });
});
