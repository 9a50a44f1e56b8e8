/** What policies are called, and which files hold them. */
import { expect, test } from "vitest";
import { automaticRuleName, resourcePolicyKey, sanitise, setKey } from "../../../compiler/policy/names.ts";
import { isPolicyPath } from "../../../compiler/policy/paths.ts";

// oxfmt-ignore
test.each([
  // semantics 2
  ["my-res@@x.y//z",  "my_res_x.y_z"],
  ["doc:pdf",         "doc_pdf"],
  ["album",           "album"],
  ["a.b",             "a.b"],
  ["doc:9x",          "doc:9x"],
  ["arn:aws:x:123",   "arn:aws:x:123"],
  ["a b",             "a b"],
  ["leave_*",         "leave_*"],
  ["9lives-x",        "9lives-x"],
  ["été-1",           "été-1"],
  ["constructor",     "constructor"],
])("%s is sanitised to %s", (name, wanted) => {
  expect(sanitise(name)).toBe(wanted);
});

test("keys and rule names", () => {
  expect(resourcePolicyKey("leave-request", "20210210", "acme.hr")).toBe("resource.leave_request.v20210210/acme.hr");
  expect(resourcePolicyKey("album", "default", "")).toBe("resource.album.vdefault");
  expect(setKey("derived_roles", "my-roles")).toBe("derived_roles.my_roles");
  expect([automaticRuleName(1), automaticRuleName(1000)]).toEqual(["rule-001", "rule-1000"]);
});

// oxfmt-ignore
test.each([
  ["expense.yaml",                  true],
  ["deep/down/expense.YML",         true],
  ["expense.json",                  true],
  ["expense_tests.yaml",            true],
  ["bar_schemas/expense.yaml",      true],
  ["expense_test.yaml",             false],
  ["expense_test.json",             false],
  ["expense.txt",                   false],
  ["yaml",                          false],
  ["_schemas/expense.json",         false],
  ["deep/_schemas/expense.json",    false],
  ["testdata/principals.yaml",      false],
  ["deep/testdata/x/a.yaml",        false],
  [".expense.yaml",                 false],
  [".git/expense.yaml",             false],
  ["deep/.hidden/expense.yaml",     false],
])("%s: %j", (path, wanted) => {
  expect(isPolicyPath(path)).toBe(wanted);
});
