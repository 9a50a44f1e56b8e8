/** A page in a real browser, served under the strictest policy that lets scripts of its own run. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

const places = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser of this machine, if there is one. */
export const chromium = places.find((path) => path !== undefined && existsSync(path));

export const strictPolicy = "default-src 'none'; script-src 'self'";

/** Serves files and opens `/`: what its scripts leave in the page, once they have run. */
export async function openPage(browser: string, files: ReadonlyMap<string, string>): Promise<string> {
  const server = createServer((request, response) => {
    const text = files.get(request.url ?? "");
    const type = request.url?.endsWith(".js") === true ? "text/javascript" : "text/html";
    response.writeHead(text === undefined ? 404 : 200, {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": strictPolicy,
    });
    response.end(text);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const profile = mkdtempSync(join(tmpdir(), "authz-browser-"));
  try {
    const { port } = server.address() as AddressInfo;
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${profile}`];
    const { stdout } = await promisify(execFile)(browser, [...flags, "--dump-dom", `http://127.0.0.1:${port}/`], {
      maxBuffer: 256 * 1024 * 1024,
    });
    return stdout;
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
