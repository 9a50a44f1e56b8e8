/** `authz admin version`: prints the versions of this program and of the server. */
import { Command } from "commander";
import { AuthzService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { version } from "../../version.ts";
import type { CommandLine } from "../command.ts";
import { commitText, versionText } from "../version.ts";
import { flagsOf, withClient } from "./connection.ts";
import { printable } from "./printable.ts";
import type { Tty } from "./tty.ts";

/** Describes the command. */
export const adminVersionCommand = (line: CommandLine, tty: Tty): Command =>
  new Command("version")
    .description("print the versions of this program and of the server")
    .option("--client", "only the version of this program")
    .action(async (_flags: unknown, command: Command) => {
      if (flagsOf<{ readonly client: boolean }>(command).client === true) return line.out(`${versionText().replace(/^authz /, "")}\n`);
      line.out(printVersion("Client", { version, commit: commitText() ?? "", buildDate: "" }));
      // The call needs no administrator credentials.
      const server = await withClient({ line, tty, command }, (client) => client.call(AuthzService.method.serverInfo, {}), "nobody");
      line.out(printVersion("Server", server));
    });

interface Versions {
  readonly version: string;
  readonly commit: string;
  readonly buildDate: string;
}

const printVersion = (whose: string, { version, commit, buildDate }: Versions): string =>
  `${whose} version ${orUnknown(version)}; commit sha: ${orUnknown(commit)}, build date: ${orUnknown(buildDate)}\n`;

const orUnknown = (text: string): string => (text === "" ? "unknown" : printable(text));
