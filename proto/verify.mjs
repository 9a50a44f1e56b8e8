/** Regenerates the protobuf code beside the project and compares it with what is checked in; exits 1 when they differ. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const fresh = mkdtempSync(join(tmpdir(), "authz-proto-"));

/** Returns path -> text of every file below a folder. */
function read(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [path.slice(folder.length + 1), readFileSync(path, "utf8")];
    }),
  );
}

try {
  const path = `${join(root, "node_modules", ".bin")}${delimiter}${process.env["PATH"]}`;
  execFileSync("buf", ["generate", "proto", "--template", "proto/buf.gen.yaml", "-o", fresh], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PATH: path },
  });
  const [wanted, found] = [read(join(fresh, "gen")), read(join(root, "proto", "gen"))];
  const stale = [...new Set([...wanted.keys(), ...found.keys()])].filter((name) => wanted.get(name) !== found.get(name)).sort();
  for (const name of stale) console.error(`proto/gen/${name} is not what the .proto files generate`);
  if (stale.length > 0) {
    console.error("run: npx buf generate proto --template proto/buf.gen.yaml -o proto");
    process.exitCode = 1;
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
