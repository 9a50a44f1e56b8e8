/** Command lines to learn from, which `--help` shows: by command, each with what it does. */

/** Shown in this order. */
// oxfmt-ignore
export const examples: { readonly [command: string]: readonly (readonly [example: string, does: string])[] } = {
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
    ["authz compile policies --emit=js", "shows what the policies are compiled to"],
    ["authz compile policies --output=json --warnings-as-errors", "for a machine that is strict"],
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
};
