/** The settings of the store `bundle`: what must be said, and what excludes what. */
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { printConfig } from "../../src/config/print.ts";

const load = (settings: { readonly [key: string]: string | boolean }): ReturnType<typeof loadConfig> =>
  loadConfig(
    undefined,
    Object.entries({ driver: "bundle", ...settings }).map(([key, value]) => `storage.${key === "driver" ? key : `bundle.${key}`}=${value}`),
    {},
  );

const noKey = "`storage.driver: bundle` needs `storage.bundle.publicKeys`: no key is trusted to sign bundles";
const both = "`storage.bundle.publicKeys` and `storage.bundle.allowUnsigned` exclude each other";
const onlyHttps = "`storage.bundle.url` must be https; http is for this machine alone (localhost)";
const credentials =
  "`storage.bundle.url` holds a name or a password: write them to `storage.bundle.username` and `storage.bundle.password`";

test.each<[sentence: string, settings: { readonly [key: string]: string | boolean }, problems: readonly string[]]>([
  ["a file and a key", { path: "b.mjs", publicKeys: "k.pub" }, []],
  ["an address and a key", { url: "https://x/b.mjs", publicKeys: "k.pub" }, []],
  ["an address of this machine", { url: "http://localhost:80/b.mjs", publicKeys: "k.pub" }, []],
  ["the same in numbers", { url: "http://127.8.9.1/b.mjs", publicKeys: "k.pub" }, []],
  ["and in longer numbers", { url: "http://[::1]:8080/b.mjs", publicKeys: "k.pub" }, []],
  ["nobody's signature", { path: "b.mjs", allowUnsigned: true }, []],
  ["nothing", {}, ["`storage.driver: bundle` needs `storage.bundle.path` or `storage.bundle.url`", noKey]],
  ["no key", { path: "b.mjs" }, [noKey]],
  ["a key, and leave to have none", { path: "b.mjs", publicKeys: "k.pub", allowUnsigned: true }, [both]],
  [
    "a file and an address",
    { path: "b.mjs", url: "https://x/b", publicKeys: "k.pub" },
    ["`storage.bundle.path` and `storage.bundle.url` exclude each other"],
  ],
  ["http to another machine", { url: "http://x/b.mjs", publicKeys: "k.pub" }, [onlyHttps]],
  ["a name that begins as this machine's number", { url: "http://127.0.0.1.example.com/b.mjs", publicKeys: "k.pub" }, [onlyHttps]],
  ["a file as an address", { url: "file:///b.mjs", publicKeys: "k.pub" }, [onlyHttps]],
  ["no address", { url: "b.mjs", publicKeys: "k.pub" }, ["`storage.bundle.url` is not an address: write https://host/path"]],
  ["credentials in the address", { url: "https://ann:secret@x/b.mjs", publicKeys: "k.pub" }, [credentials]],
  ["a password without a name in the address", { url: "https://:secret@x/b.mjs", publicKeys: "k.pub" }, [credentials]],
  ["another protocol on this machine", { url: "ftp://localhost/b.mjs", publicKeys: "k.pub" }, [onlyHttps]],
  ["a token in the address", { url: "https://token@x/b.mjs", publicKeys: "k.pub" }, [credentials]],
  [
    "a token with the line break of the file that it was read from",
    { url: "https://x/b", publicKeys: "k.pub", password: "secret\n" },
    ["`storage.bundle.password` holds a line break or another control character, which cannot be sent to a server"],
  ],
  [
    "no time to answer",
    { path: "b.mjs", publicKeys: "k.pub", operationTimeout: "0" },
    ["`storage.bundle.operationTimeout` must be a duration such as 10s or 1h30m, from 100ms to 1h"],
  ],
  ["another store, and half of this one", { driver: "disk", path: "b.mjs", url: "https://x/b" }, []],
])("%s", (_sentence, settings, problems) => {
  expect(load(settings).problems.map(({ message }) => message)).toEqual(problems);
});

test("no secret of an address is printed", () => {
  const { config } = load({ url: "https://x/b.mjs?sig=secret&tenant=a", publicKeys: "k.pub", password: "secret" });
  if (config === undefined) throw new Error("it is a configuration");
  const printed = printConfig(config, "all");
  expect(printed).toContain("tenant=a");
  expect(printed).not.toContain("secret&");
});
