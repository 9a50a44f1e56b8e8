/** Options and commands that a command does not have, by the names under which other programs have them, and what to write instead. */

/** What to write instead, by an option or a command that does not exist. */
type Hints = { readonly [written: string]: string };

/** gives several names the same hint. */
const sameHint = (names: string, instead: string): Hints => Object.fromEntries(names.split(" ").map((name) => [name, instead]));

const serverOptions: Hints = {
  ...sameHint("-p --port --http --http-port --http-listen-addr", "write --set=server.httpListenAddr=:PORT"),
  ...sameHint("--grpc --grpc-port --grpc-listen-addr", "write --set=server.grpcListenAddr=:PORT"),
  ...sameHint(
    "--host --listen --listen-addr --address --addr --bind",
    "write --set=server.httpListenAddr=HOST:PORT, and --set=server.grpcListenAddr=HOST:PORT",
  ),
  ...sameHint("-d --dir --directory --path --policies --policy --policy-dir", "write --set=storage.disk.directory=DIR"),
  ...sameHint("-w --watch", "write --set=storage.disk.watchForChanges=true"),
  ...sameHint("--workers --threads", "write --set=server.workers=N"),
  ...sameHint("--cert --tls-cert", "write --set=server.tls.cert=FILE"),
  ...sameHint("--key --tls-key", "write --set=server.tls.key=FILE"),
  ...sameHint("-v --verbose --debug", "write --log-level=debug"),
  ...sameHint("-q --quiet --silent", "write --log-level=error"),
  ...sameHint("-c", "write --config=FILE"),
  ...sameHint("--debug-listen-addr", "there is no such listener: leave it out"),
  ...sameHint("--hub-bundle --hub.deployment-id --hub.playground-id", "there is no hosted hub: write --set=storage.driver=bundle"),
};

const addressOptions = "--host --port -p --address --addr --url --endpoint --target";

/** By the command, without the program's name; those of `authzctl` and `authz admin` begin with "admin", and answers say `authz admin`. */
export const optionHints: { readonly [command: string]: Hints } = {
  server: serverOptions,
  run: serverOptions,
  healthcheck: {
    ...sameHint(`${addressOptions} --server`, "write --host-port=HOST:PORT"),
    ...sameHint("--http", "write --kind=http"),
    ...sameHint("--grpc", "write --kind=grpc"),
    ...sameHint("--plaintext --no-ssl", "write --no-tls"),
    ...sameHint("--tls --ssl", "TLS is used without --no-tls"),
    ...sameHint("--ca --cacert", "write --ca-cert=FILE"),
    ...sameHint("--cert --tls-cert", "write --client-cert=FILE"),
    ...sameHint("--key --tls-key", "write --client-key=FILE"),
    ...sameHint("-k --skip-verify", "write --insecure"),
  },
  compile: {
    ...sameHint("-t --test --run-tests", "tests are run without --skip-tests"),
    ...sameHint("--no-test --no-tests", "write --skip-tests"),
    ...sameHint("--filter --run -f", "write --test-filter=FILTER"),
    ...sameHint("--format", "write --output=FORMAT"),
    ...sameHint("--json", "write --output=json"),
    ...sameHint("--junit", "write --test-output=junit"),
    ...sameHint("--strict --werror", "write --warnings-as-errors, or --strict-evaluation"),
    ...sameHint("--bundle --out --out-file", "`authz build DIR -o FILE` writes a bundle; --output is the format of what is printed"),
    ...sameHint("-v", "write --verbose"),
    ...sameHint("-w", "write --watch"),
  },
  build: {
    ...sameHint("--key --signing-key --private-key", "write --sign=FILE"),
    ...sameHint("-t --platform --format", "write --target=TARGET"),
  },
  repl: {
    ...sameHint("--eval --exec --expression", "write --evaluate=EXPRESSION"),
    ...sameHint("--input --data", "write --request=FILE"),
    ...sameHint("--json", "write --output=json"),
  },
  migrate: sameHint("--check --diff -n", "write --dry-run"),
  admin: {
    ...sameHint(`${addressOptions} --host-port`, "write --server=HOST:PORT"),
    ...sameHint("-u --user", "write --username=NAME"),
    ...sameHint("--pass", "write --password=PASSWORD, or set AUTHZ_PASSWORD"),
    ...sameHint("--no-tls --no-ssl", "write --plaintext"),
    ...sameHint("--ca --cacert", "write --ca-cert=FILE"),
    ...sameHint("--cert --tls-cert", "write --client-cert=FILE"),
    ...sameHint("--key --tls-key", "write --client-key=FILE"),
    ...sameHint("-k --skip-verify", "write --insecure"),
  },
};

/** The same for subcommands; those of the program itself are at "". */
export const commandHints: { readonly [command: string]: Hints } = {
  "": {
    ...sameHint("start serve up", "write authz server"),
    ...sameHint("test tests check lint validate verify", "authz compile DIR checks policies and runs their tests"),
    ...sameHint("get list put add delete disable enable inspect store audit decisions", "write authz admin"),
    ...sameHint("ctl authzctl", "write authz admin"),
    ...sameHint("reload", "write authz admin store reload"),
    ...sameHint("export", "write authz admin store export DIR"),
    ...sameHint("hash-password passwd password", "write authz admin hash-password"),
    ...sameHint("keygen sign", "write authz bundle"),
    ...sameHint("diff", "write authz bundle diff OLD NEW"),
    ...sameHint("new create", "write authz init DIR"),
    ...sameHint("eval evaluate console", "write authz repl"),
    ...sameHint("health ping status", "write authz healthcheck"),
    ...sameHint("import convert", "write authz migrate DIR"),
  },
  bundle: {
    ...sameHint("build create make new", "write authz build DIR -o FILE"),
    ...sameHint("key keys genkey", "write authz bundle keygen FILE"),
    ...sameHint("check validate", "write authz bundle verify FILE"),
    ...sameHint("show print list cat", "write authz bundle inspect FILE"),
    ...sameHint("compare", "write authz bundle diff OLD NEW"),
  },
  golden: {
    ...sameHint("run test verify compare", "write authz golden check DIR"),
    ...sameHint("add create new", "write authz golden record"),
    ...sameHint("update approve", "write authz golden accept"),
  },
  config: {
    ...sameHint("check lint test verify", "write authz config validate"),
    ...sameHint("show dump list get view", "write authz config print"),
  },
  admin: {
    ...sameHint("list ls show", "write authz admin get"),
    ...sameHint("add apply create set update upload import", "write authz admin put policy, or authz admin put schema"),
    ...sameHint("remove rm del", "write authz admin delete policy, or authz admin delete schema"),
    ...sameHint("reload", "write authz admin store reload"),
    ...sameHint("export backup", "write authz admin store export DIR"),
    ...sameHint("purge", "write authz admin store revisions purge"),
    ...sameHint("log logs", "write authz admin audit"),
    ...sameHint("health status ping", "write authz healthcheck"),
  },
  "admin store": {
    ...sameHint("refresh sync", "write authz admin store reload"),
    ...sameHint("backup dump", "write authz admin store export DIR"),
    ...sameHint("purge", "write authz admin store revisions purge"),
  },
};

/** The same for arguments where a command takes none. */
export const argumentHints: Hints = {
  server: "a folder of policies: --set=storage.disk.directory=DIR; a configuration: --config=FILE",
  healthcheck: "write --host-port=HOST:PORT",
  "admin hash-password": "a password is not given as an argument, where others can read it: run the command without one",
};
