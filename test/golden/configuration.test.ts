/** `docs/configuration.md` is the page that the table of settings prints, and the variables it lists are those that the program reads. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, it } from "vitest";
import { printConfigurationPage } from "../../src/config/configuration-page.ts";
import { settingsByKey } from "../../src/config/settings.ts";
import { environmentVariables } from "../../src/config/environment-variables.ts";

const file = "docs/configuration.md";

it("is the page that the table prints", () => {
  const page = printConfigurationPage();
  if (process.env["AUTHZ_ACCEPT"] === "1") writeFileSync(file, page);
  expect(existsSync(file), "npm run golden -- --accept writes it").toBe(true);
  expect(page).toBe(readFileSync(file, "utf8"));
});

it("says something of every setting, in a sentence without an end", () => {
  for (const [key, { description }] of Object.entries(settingsByKey)) expect(description, key).toMatch(/^[a-z0-9`].{10,}[^.]$/);
});

it("lists every variable that the program reads by name", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.startsWith(join("config", "environment-variables")),
  );
  const named = sources.flatMap(
    (path) => readFileSync(join("src", path), "utf8").match(/(?<=["'])(?:AUTHZ|OTEL)_[A-Z0-9_]*[A-Z0-9](?=["'])/g) ?? [],
  );
  const given = new Set(["AUTHZ_HTTP", "AUTHZ_GRPC"]); // by `authz run`, to others
  const listed = new Set(environmentVariables.flatMap(({ names }) => names));
  expect([...new Set(named)].filter((name) => !listed.has(name) && !given.has(name)).toSorted()).toEqual([]);
});
