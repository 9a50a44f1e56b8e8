/** What policies are called, and which files hold them. */
import { expect, test } from "vitest";
import { automaticActionName, automaticRuleName, policyKey, sanitise, setKey } from "../../../compiler/policy/names.ts";
import { isMisplacedSchemas, isPolicyPath } from "../../../compiler/policy/paths.ts";

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
  expect(policyKey("resource", "leave-request", "20210210", "acme.hr")).toBe("resource.leave_request.v20210210/acme.hr");
  expect(policyKey("resource", "album", "default", "")).toBe("resource.album.vdefault");
  expect(policyKey("principal", "pat@x", "v2", "")).toBe("principal.pat_x.vv2");
  expect(policyKey("role", "a b", "default", "acme.hr")).toBe("role.a b.vdefault/acme.hr");
  expect(setKey("derived_roles", "my-roles")).toBe("derived_roles.my_roles");
  expect(automaticActionName("leave_*", 12)).toBe("leave_*_rule-012");
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
  ["Expense.YAML",                  true],
  ["EXPENSE_Test.Yml",              false],
  ["expense.yaml.bak",              false],
  ["_test.yaml",                    false],
  ["expense.test.yaml",             true],
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

// oxfmt-ignore
test.each([
  ["_schemas",                  false],
  ["deep/_schemas",             true],
  ["deep/down/_schemas",        true],
  ["deep/bar_schemas",          false],
  ["_schemas/_schemas",         false],
  ["deep/_schemas/_schemas",    false],
  ["testdata/_schemas",         false],
  [".hidden/_schemas",          false],
])("the folder %s holds schemas nobody would find: %j", (folder, wanted) => {
  expect(isMisplacedSchemas(folder)).toBe(wanted);
});
