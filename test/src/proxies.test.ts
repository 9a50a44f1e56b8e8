/** Which proxy a URL is asked through, by the variables of the environment. */
import { describe, expect, test } from "vitest";
import { proxyOf } from "../../src/outgoing/proxies.ts";

const proxy = "http://proxy.example:3128";
type Variables = { readonly [name: string]: string };

/** Host and port of the proxy, and its variable; "directly"; or the refusal. */
function through(url: string, variables: Variables): string {
  try {
    return proxyOf(new URL(url), variables)?.name ?? "directly";
  } catch (error) {
    return String(error);
  }
}

describe("a URL is asked", () => {
  test.each<[sentence: string, url: string, variables: Variables, found: string]>([
    ["directly, where no variable is set", "https://git.example/", {}, "directly"],
    ["directly, where the variable is empty", "https://git.example/", { HTTPS_PROXY: "", https_proxy: "" }, "directly"],
    ["through HTTPS_PROXY", "https://git.example/", { HTTPS_PROXY: proxy }, "the proxy proxy.example:3128 (HTTPS_PROXY)"],
    ["through https_proxy", "https://git.example/", { https_proxy: proxy }, "the proxy proxy.example:3128 (https_proxy)"],
    [
      "through the one in upper case, of two",
      "https://git.example/",
      { https_proxy: "http://other.example", HTTPS_PROXY: proxy },
      "the proxy proxy.example:3128 (HTTPS_PROXY)",
    ],
    ["through HTTP_PROXY, without TLS", "http://git.example/", { HTTP_PROXY: proxy }, "the proxy proxy.example:3128 (HTTP_PROXY)"],
    ["directly without TLS, where HTTPS_PROXY alone is set", "http://git.example/", { HTTPS_PROXY: proxy }, "directly"],
    ["directly with TLS, where HTTP_PROXY alone is set", "https://git.example/", { HTTP_PROXY: proxy }, "directly"],
    ["through a proxy with TLS", "https://git.example/", { HTTPS_PROXY: "https://proxy.example" }, "the proxy proxy.example (HTTPS_PROXY)"],
    [
      "through a host and port",
      "https://git.example/",
      { HTTPS_PROXY: "proxy.example:3128" },
      "the proxy proxy.example:3128 (HTTPS_PROXY)",
    ],
    [
      "through an address",
      "https://git.example/",
      { HTTPS_PROXY: "http://[2001:db8::1]:3128/" },
      "the proxy [2001:db8::1]:3128 (HTTPS_PROXY)",
    ],
    [
      "through a proxy that asks for credentials, which are not named",
      "https://git.example/",
      { HTTPS_PROXY: "http://me:hunter2@proxy.example:3128" },
      "the proxy proxy.example:3128 (HTTPS_PROXY)",
    ],
  ])("%s", (_sentence, url, variables, found) => {
    expect(through(url, variables)).toBe(found);
  });

  const mistake = "is not the address of a proxy: write http://HOST:PORT or https://HOST:PORT";
  test.each(["socks5://me:hunter2@proxy.example", "http://me:hunter2@", "http://me:hunter2@proxy.example:99999", "://", "file:///hunter2"])(
    "not at all, where the variable holds no address of a proxy, which is not quoted: %s",
    (value) => {
      const said = through("https://git.example/", { HTTPS_PROXY: value });
      expect(said).toContain(`Refusal: the environment variable HTTPS_PROXY ${mistake}`);
      expect(said).not.toContain("hunter2");
    },
  );
});

test.each<[username: string, password: string, written: string]>([
  ["me", "hunter2", "me:hunter2@"],
  ["me@example", "a:b/c%", "me%40example:a%3Ab%2Fc%25@"],
  ["ünïcode", "", "%C3%BCn%C3%AFcode@"],
])("credentials of the proxy are sent as they were meant: %s:%s", (username, password, written) => {
  const found = proxyOf(new URL("https://git.example/"), { HTTPS_PROXY: `http://${written}proxy.example` });
  expect(found?.url.href).toBe("http://proxy.example/");
  expect(found?.authorization).toBe(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
});

describe("NO_PROXY", () => {
  const [yes, no] = ["directly", "the proxy proxy.example:3128 (HTTPS_PROXY)"] as const;
  test.each<[exceptions: string, url: string, found: string]>([
    ["*", "https://git.example/", yes],
    ["git.example", "https://git.example/", yes],
    ["git.example", "https://GIT.Example./", yes],
    ["GIT.example", "https://git.example/", yes],
    ["git.example", "https://sub.git.example/", yes],
    ["git.example", "https://notgit.example/", no],
    ["git.example", "https://git.example.org/", no],
    [".git.example", "https://git.example/", no],
    [".git.example", "https://sub.git.example/", yes],
    ["*.git.example", "https://git.example/", no],
    ["*.git.example", "https://a.b.git.example/", yes],
    ["git.example:443", "https://git.example/", yes],
    ["git.example:8443", "https://git.example/", no],
    ["git.example:8443", "https://git.example:8443/", yes],
    ["one.example,git.example", "https://git.example/", yes],
    [" one.example , git.example ", "https://git.example/", yes],
    ["one.example git.example", "https://git.example/", yes],
    [",,", "https://git.example/", no],
    ["192.0.2.7", "https://192.0.2.7/", yes],
    ["192.0.2.7:8443", "https://192.0.2.7/", no],
    ["192.0.2.7:8443", "https://192.0.2.7:8443/", yes],
    ["192.0.2.7", "https://192.0.2.70/", no],
    ["2.7", "https://192.0.2.7/", no],
    ["192.0.2.0/24", "https://192.0.2.7/", yes],
    ["192.0.2.0/24", "https://192.0.3.7/", no],
    ["10.0.0.0/8", "https://git.example/", no],
    ["192.0.2.0/33", "https://192.0.2.7/", no],
    ["2001:db8::7", "https://[2001:db8::7]/", yes],
    ["2001:DB8:0::7", "https://[2001:db8::7]/", yes],
    ["[2001:db8::7]", "https://[2001:db8::7]/", yes],
    ["[2001:db8::7]:8443", "https://[2001:db8::7]:8443/", yes],
    ["[2001:db8::7]:8443", "https://[2001:db8::7]/", no],
    ["2001:db8::/32", "https://[2001:db8::7]/", yes],
    ["2001:db8::/32", "https://[2001:db9::7]/", no],
    ["", "https://localhost:8443/", yes],
    ["", "https://127.0.0.2/", yes],
    ["", "https://[::1]/", yes],
    ["", "https://git.example/", no],
  ])("%j asks %s %s", (exceptions, url, found) => {
    expect(through(url, { HTTPS_PROXY: proxy, NO_PROXY: exceptions })).toBe(found);
    expect(through(url, { HTTPS_PROXY: proxy, no_proxy: exceptions })).toBe(found);
  });
});
