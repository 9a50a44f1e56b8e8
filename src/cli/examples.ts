/** Command lines to learn from, which `--help` shows: by command, each with what it does. */

/** Shown in this order. */
// oxfmt-ignore
export const examples: Examples = {
  "authz": [
    ["authz init shop", "writes a folder to begin with"],
    ["authz compile policies", "says what is wrong with policies"],
    ["authz server", "serves the policies in ./policies"],
  ],
  "authz server": [
    ["authz server", "the policies in ./policies, HTTP on :3592, gRPC on :3593"],
    ["authz server --config authz.yaml", "as the file says"],
    ["authz server --set storage.disk.directory=/srv/policies --set server.httpListenAddr=127.0.0.1:8080", "a few settings without a file"],
  ],
  "authz run": [
    ["authz run -- npm test", "tests of your own, which ask the server at $AUTHZ_HTTP or $AUTHZ_GRPC"],
    ["authz run --set server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0 -- sh -c 'curl -s $AUTHZ_HTTP/_authz/health'", "on ports that are free"],
    ["authz run --log-level error --config authz.yaml -- python -m unittest", "with a configuration, and without the server's log"],
  ],
  "authz init": [
    ["authz init", "here"],
    ["authz init shop", "in a folder of its own"],
  ],
  "authz compile": [
    ["authz compile policies", "lists every problem with its place"],
    ["authz compile policies --test-filter 'test=approv*;principal=sam'", "runs some of the tests beside them"],
    ["authz compile policies --watch", "and again whenever something changes"],
    ["authz compile policies --emit=js", "shows what the policies are compiled to"],
    ["authz compile policies --output=json --warnings-as-errors", "for a machine that is strict"],
  ],
  "authz compile-store": [
    ["authz compile-store --config authz.yaml", "says whether a server with this configuration would start, and what is wrong if not"],
    ["authz compile-store --config authz.yaml --disable-invalid --dry-run", "which policies would have to be disabled for the others to compile"],
    ["authz compile-store --config authz.yaml --disable-invalid", "disables them"],
  ],
  "authz build": [
    ["authz build policies -o bundle.mjs", "one file that a server loads instead of the folder"],
    ["authz build policies -o bundle.mjs --sign bundle.key", "signed, so that nobody can change it on its way"],
  ],
  "authz bundle keygen": [
    ["authz bundle keygen bundle.key", "writes bundle.key, to sign with, and bundle.key.pub, for servers"],
  ],
  "authz bundle sign": [
    ["authz bundle sign bundle.mjs --key bundle.key", "signs what somebody else has built"],
  ],
  "authz bundle verify": [
    ["authz bundle verify bundle.mjs --key bundle.key.pub", "says what a server with that key would say"],
  ],
  "authz bundle inspect": [
    ["authz bundle inspect bundle.mjs", "lists its policies and schemas"],
    ["authz bundle inspect bundle.mjs --output json", "for a machine"],
  ],
  "authz types": [
    ["authz types policies -o policies.d.ts", "kinds, actions, roles and attributes, for TypeScript programs that ask the server"],
  ],
  "authz golden record": [
    ["authz golden record policies requests/", "decides every request of the folder, and keeps a case of each in ./golden"],
  ],
  "authz golden check": [
    ["authz golden check policies", "prints who may do something else than was recorded"],
  ],
  "authz golden accept": [
    ["authz golden accept policies expense", "takes what the policies answer now for that case alone"],
  ],
  "authz healthcheck": [
    ["authz healthcheck --config authz.yaml", "asks the server of a configuration over gRPC"],
    ["authz healthcheck --kind http --host-port 10.0.1.5:3592 --no-tls", "asks another over HTTP"],
  ],
  "authz config validate": [
    ["authz config validate authz.yaml", "lists every mistake with its line and column"],
    ["authz config validate authz.yaml --set server.logLevel=debug", "the file as it would be with an override"],
  ],
  "authz config print": [
    ["authz config print", "every setting and its default"],
    ["authz config print --changed authz.yaml", "what a file changes"],
  ],
  "authz schema": [
    ["authz schema config > authz.schema.json", "for the configuration file"],
    ["authz schema policy > policy.schema.json", "for policies"],
  ],
  "authz migrate": [
    ["authz migrate policies --dry-run", "shows what would be rewritten"],
  ],
  ...asAdmin({
    "": [
      ["get resource_policies", "which resource policies there are"],
      ["--server=authz.example.com:3593 --username=ann store reload", "of another machine; the password is asked for"],
    ],
    " get resource_policies": [
      ["get rp --name=expense --version=default", "a list"],
      ["get rp resource.expense.vdefault -o yaml", "one, as YAML"],
    ],
    " put policy": [
      ["put policy -R policies", "a folder with all that lies below it"],
      ["put policy - < expense.yaml", "standard input"],
    ],
    " put schema": [
      ["put schema -R policies/_schemas", "every schema of a folder"],
      ["put schema - --id expense.json < expense.json", "standard input"],
    ],
    " store export": [["store export backup", "can be put again: `put schema -R backup`, `put policy -R backup`"]],
    " audit": [
      ["audit --kind=decision --since=1h --raw", "the decisions of the last hour, a line of JSON each"],
      ["audit --between=2026-11-20T00:00:00Z,2026-11-21T00:00:00Z", "the calls of a day"],
    ],
  }),
};

type Examples = { readonly [command: string]: readonly (readonly [example: string, does: string])[] };

/** The administrator's commands have two names. */
function asAdmin(of: Examples): Examples {
  const under = (name: string): Examples =>
    Object.fromEntries(
      Object.entries(of).map(([command, rows]) => [`${name}${command}`, rows.map(([words, does]) => [`${name} ${words}`, does] as const)]),
    );
  return { ...under("authz admin"), ...under("authzctl") };
}
