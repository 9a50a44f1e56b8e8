/** The example command lines that `--help` shows, by command, each with its description. */

/** Shown in this order. */
// oxfmt-ignore
export const examples: Examples = {
  "authz": [
    ["authz init shop", "write a folder to start from"],
    ["authz compile policies", "check policies"],
    ["authz server", "serve the policies in ./policies"],
  ],
  "authz server": [
    ["authz server", "the policies in ./policies, HTTP on :3592, gRPC on :3593"],
    ["authz server --config authz.yaml", "with the settings of a file"],
    ["authz server --set storage.disk.directory=/srv/policies --set server.httpListenAddr=127.0.0.1:8080", "a few settings without a file"],
  ],
  "authz run": [
    ["authz run -- npm test", "your own tests, which ask the server at $AUTHZ_HTTP or $AUTHZ_GRPC"],
    ["authz run --set server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0 -- sh -c 'curl -s $AUTHZ_HTTP/_authz/health'", "on free ports"],
    ["authz run --log-level error --config authz.yaml -- python -m unittest", "with a configuration, and without the server's log"],
  ],
  "authz init": [
    ["authz init", "in this folder"],
    ["authz init shop", "in a new folder"],
  ],
  "authz compile": [
    ["authz compile policies", "list every problem with its place, and run the tests"],
    ["authz compile policies --test-filter 'test=approv*;principal=sam'", "run some of the tests"],
    ["authz compile policies --watch", "run again whenever something changes"],
    ["authz compile policies --emit=js", "show what the policies are compiled to"],
    ["authz compile policies --output=json --warnings-as-errors", "for CI: as JSON, and no warnings allowed"],
  ],
  "authz compile-store": [
    ["authz compile-store --config authz.yaml", "see whether a server with this configuration would start, and what is wrong if not"],
    ["authz compile-store --config authz.yaml --disable-invalid --dry-run", "list the policies that must be disabled for the others to compile"],
    ["authz compile-store --config authz.yaml --disable-invalid", "disable them"],
  ],
  "authz build": [
    ["authz build policies -o bundle.mjs", "one file that a server loads instead of the folder"],
    ["authz build policies -o bundle.mjs --sign bundle.key", "signed, so that nobody can change it on the way"],
  ],
  "authz bundle keygen": [
    ["authz bundle keygen bundle.key", "write bundle.key, to sign with, and bundle.key.pub, for servers"],
  ],
  "authz bundle sign": [
    ["authz bundle sign bundle.mjs --key bundle.key", "sign what somebody else has built"],
  ],
  "authz bundle verify": [
    ["authz bundle verify bundle.mjs --key bundle.key.pub", "check what a server with this key would check"],
  ],
  "authz bundle inspect": [
    ["authz bundle inspect bundle.mjs", "list its policies and schemas"],
    ["authz bundle inspect bundle.mjs --output json", "as JSON"],
  ],
  "authz bundle diff": [
    ["authz bundle diff published.mjs bundle.mjs", "show what publishing the new one would change"],
  ],
  "authz types": [
    ["authz types policies -o policies.d.ts", "types for TypeScript programs that ask the server"],
  ],
  "authz golden record": [
    ["authz golden record policies requests/", "decide every request in the folder, and record each as a case in ./golden"],
  ],
  "authz golden check": [
    ["authz golden check policies", "print who may do something else than was recorded"],
  ],
  "authz golden accept": [
    ["authz golden accept policies expense", "record what the policies decide now, for this case alone"],
  ],
  "authz repl": [
    ["authz repl policies --request request.json --use resource.expense.vdefault", "try the expressions of a policy on a request"],
    ["authz repl policies --request request.json -e ':check approve'", "say why an action is allowed or denied"],
    ["authz repl -e '1 + 1'", "evaluate one expression"],
  ],
  "authz healthcheck": [
    ["authz healthcheck --config authz.yaml", "ask the server of a configuration over gRPC"],
    ["authz healthcheck --kind http --host-port 10.0.1.5:3592 --no-tls", "ask another over HTTP"],
  ],
  "authz config validate": [
    ["authz config validate authz.yaml", "list every mistake with its line and column"],
    ["authz config validate authz.yaml --set server.logLevel=debug", "check the file with an override"],
  ],
  "authz config print": [
    ["authz config print", "print every setting with its default"],
    ["authz config print --changed authz.yaml", "print what a file changes"],
  ],
  "authz schema": [
    ["authz schema config > authz.schema.json", "for the configuration file"],
    ["authz schema policy > policy.schema.json", "for policies"],
  ],
  "authz migrate": [
    ["authz migrate policies --dry-run", "show what would be rewritten"],
  ],
  ...asAdmin({
    "": [
      ["get resource_policies", "list all resource policies"],
      ["--server=authz.example.com:3593 --username=ann store reload", "on another machine; the password is asked for"],
    ],
    " get resource_policies": [
      ["get rp --name=expense --version=default", "list some"],
      ["get rp resource.expense.vdefault -o yaml", "print one as YAML"],
    ],
    " put policy": [
      ["put policy -R policies", "a folder and all folders below it"],
      ["put policy - < expense.yaml", "from standard input"],
    ],
    " put schema": [
      ["put schema -R policies/_schemas", "every schema in a folder"],
      ["put schema - --id expense.json < expense.json", "from standard input"],
    ],
    " store export": [["store export backup", "to restore: `put schema -R backup`, then `put policy -R backup`"]],
    " audit": [
      ["audit --kind=decision --since=1h --raw", "the decisions of the last hour, as one line of JSON each"],
      ["audit --between=2026-11-20T00:00:00Z,2026-11-21T00:00:00Z", "the calls of one day"],
    ],
  }),
};

type Examples = { readonly [command: string]: readonly (readonly [example: string, does: string])[] };

/** The examples of administration commands under both names, `authz admin` and `authzctl`. */
function asAdmin(of: Examples): Examples {
  const under = (name: string): Examples =>
    Object.fromEntries(
      Object.entries(of).map(([command, rows]) => [`${name}${command}`, rows.map(([words, does]) => [`${name} ${words}`, does] as const)]),
    );
  return { ...under("authz admin"), ...under("authzctl") };
}
