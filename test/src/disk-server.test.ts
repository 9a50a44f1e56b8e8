/** A server over a folder that is watched: what its metrics and its log say while policies break and mend. */
import { renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually, startServer, type TestServer } from "../server/harness.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startServer({
    policies: { "a.yaml": policy("a"), "b.yaml": policy("b") },
    settings: { "storage.disk.watchForChanges": true },
  });
});
afterEach(() => server.stop());

const policy = (name: string): string =>
  `apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: ${name}\n  definitions: [{ name: owner, parentRoles: [user] }]\n`;
const write = (name: string, text: string): void => writeFileSync(join(server.directory, name), text);

interface Counted {
  readonly polls: number;
  readonly errors: number;
  readonly good: number;
  readonly bad: number;
  readonly entries: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly refreshed: number;
  readonly apart: number;
}
async function counted(): Promise<Counted> {
  const { text } = await server.get("/_authz/metrics");
  const value = (sample: string): number =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${sample} `))
        ?.split(" ")
        .at(-1),
    );
  const crud = (kind: string): number => value(`authz_dev_index_crud_count{kind="${kind}"}`);
  const compiled = (status: string): number => value(`authz_dev_compiler_compile_duration_count{status="${status}"}`);
  return {
    polls: value('authz_dev_store_poll_count{driver="disk"}'),
    errors: value('authz_dev_store_sync_error_count{driver="disk"}'),
    good: compiled("success"),
    bad: compiled("failure"),
    entries: value("authz_dev_index_entry_count"),
    created: crud("create"),
    updated: crud("update"),
    deleted: crud("delete"),
    refreshed: value('authz_dev_store_last_successful_refresh{driver="disk"}'),
    apart: value('authz_dev_store_seconds_since_agreement{driver="disk"}'),
  };
}
const until = (wished: (now: Counted) => boolean): Promise<Counted> => eventually(counted, wished);
const logged = (text: string): number => server.logged().filter((line) => JSON.stringify(line).includes(text)).length;

test("broken, still broken, mended", async () => {
  const start = await counted();
  expect(start).toMatchObject({ errors: 0, good: 1, bad: 0, entries: 2, created: 2, updated: 0, deleted: 0, apart: 0 });
  expect(start.polls).toBeGreaterThanOrEqual(1);
  expect(Math.abs(Date.now() - start.refreshed)).toBeLessThan(60_000);

  write("a.yaml", "derivedRoles: [");
  const broken = await until(({ errors }) => errors > 0);
  expect(broken).toMatchObject({ good: 1, bad: 1, entries: 2, updated: 0, refreshed: start.refreshed });
  expect(broken.apart).toBeGreaterThan(0);
  expect(logged("in the changed policies: the last good set keeps answering")).toBe(1);
  expect(logged("a.yaml:")).toBeGreaterThan(0);

  utimesSync(join(server.directory, "a.yaml"), new Date(), new Date()); // it is looked at once more, and the same
  const still = await until(({ errors }) => errors > broken.errors);
  expect(still.polls).toBeGreaterThan(broken.polls);
  expect(still).toMatchObject({ good: 1, bad: 1, entries: 2, refreshed: start.refreshed });
  expect(logged("in the changed policies: the last good set keeps answering")).toBe(1);

  write("a.yaml", policy("c"));
  const mended = await until(({ good }) => good > 1);
  expect(mended).toMatchObject({ errors: still.errors, good: 2, bad: 1, entries: 2, created: 2, updated: 1, deleted: 0, apart: 0 });
  expect(mended.refreshed).toBeGreaterThan(start.refreshed);
  expect(logged("the policies are good again")).toBe(1);
});

test("files that come, change and go", async () => {
  write("c.yaml", policy("c"));
  await until(({ entries }) => entries === 3);
  write("c.yaml", `${policy("c")}# \n`);
  await until(({ updated }) => updated === 1);
  rmSync(join(server.directory, "c.yaml"));
  expect(await until(({ entries }) => entries === 2)).toMatchObject({
    errors: 0,
    good: 4,
    bad: 0,
    created: 3,
    updated: 1,
    deleted: 1,
    apart: 0,
  });
});

test("a folder that cannot be read, and is back", async () => {
  renameSync(server.directory, `${server.directory}-away`);
  const gone = await until(({ errors }) => errors > 0);
  expect(gone).toMatchObject({ good: 1, bad: 0, entries: 2 });
  renameSync(`${server.directory}-away`, server.directory);
  expect(await until(({ apart }) => apart === 0)).toMatchObject({ bad: 0, entries: 2, updated: 0 });
  expect(logged("does not exist (setting storage.disk.directory): the last good set keeps answering")).toBe(1);
  expect(logged("the policies are good again")).toBe(1);
});
