/** `npm run bench -- <name>` answers the question of `bench/<name>.ts`; without a name it lists them. */
import { buildSync } from "esbuild";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";

const [name, ...rest] = process.argv.slice(2);
const aids = ["measure.ts", "race.ts", "clock.ts", "conditions.ts", "http-load.ts"];
const names = readdirSync(new URL(".", import.meta.url))
  .filter((file) => file.endsWith(".ts") && !aids.includes(file))
  .map((file) => file.slice(0, -3));
if (name === undefined || !names.includes(name)) {
  console.error(`bench: choose one of: ${names.join(", ")}`);
  process.exit(2);
}
if (!existsSync("dist/guest.js")) execFileSync("npm", ["run", "-s", "build"], { stdio: "inherit" });
const outfile = `dist/bench-${name}.js`;
buildSync({
  entryPoints: [`bench/${name}.ts`],
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  logLevel: "warning",
  outfile,
});
// Node 20 dies where it gives up machine code into which a call of WebAssembly was put, as of the packages that `decide` asks.
const flags = ["--expose-gc", "--no-turbo-inline-js-wasm-calls"];
const { status, signal } = spawnSync(process.execPath, [...flags, outfile, ...rest], { stdio: "inherit" });
if (signal !== null) console.error(`bench: ${name} was ended by ${signal}`);
process.exit(status ?? 3);
