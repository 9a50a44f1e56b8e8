/** Options and commands that a command does not have, by the names under which other programs have them, and what to write instead. */

/** What to write instead, by an option or a command that does not exist. */
type Slips = { readonly [written: string]: string };

/** Gives several names the same answer. */
const each = (names: string, instead: string): Slips => Object.fromEntries(names.split(" ").map((name) => [name, instead]));

const serving: Slips = {
  ...each("-p --port --http --http-port --http-listen-addr", "write --set=server.httpListenAddr=:PORT"),
  ...each("--grpc --grpc-port --grpc-listen-addr", "write --set=server.grpcListenAddr=:PORT"),
  ...each(
    "--host --listen --listen-addr --address --addr --bind",
    "write --set=server.httpListenAddr=HOST:PORT, and --set=server.grpcListenAddr=HOST:PORT",
  ),
  ...each("-d --dir --directory --path --policies --policy --policy-dir", "write --set=storage.disk.directory=DIR"),
  ...each("-w --watch", "write --set=storage.disk.watchForChanges=true"),
  ...each("--workers --threads", "write --set=server.workers=N"),
  ...each("--cert --tls-cert", "write --set=server.tls.cert=FILE"),
  ...each("--key --tls-key", "write --set=server.tls.key=FILE"),
  ...each("-v --verbose --debug", "write --log-level=debug"),
  ...each("-q --quiet --silent", "write --log-level=error"),
  ...each("-c", "write --config=FILE"),
  ...each("--debug-listen-addr", "there is no such listener: leave it out"),
  ...each("--hub-bundle --hub.deployment-id --hub.playground-id", "there is no hosted hub: write --set=storage.driver=bundle"),
};

const address = "--host --port -p --address --addr --url --endpoint --target";

/** By the command, without the program's name; those of `authzctl` and `authz admin` begin with "admin", and answers say `authz admin`. */
export const optionSlips: { readonly [command: string]: Slips } = {
  server: serving,
  run: serving,
  healthcheck: {
    ...each(`${address} --server`, "write --host-port=HOST:PORT"),
    ...each("--http", "write --kind=http"),
    ...each("--grpc", "write --kind=grpc"),
    ...each("--plaintext --no-ssl", "write --no-tls"),
    ...each("--tls --ssl", "TLS is used without --no-tls"),
    ...each("--ca --cacert", "write --ca-cert=FILE"),
    ...each("--cert --tls-cert", "write --client-cert=FILE"),
    ...each("--key --tls-key", "write --client-key=FILE"),
    ...each("-k --skip-verify", "write --insecure"),
  },
  compile: {
    ...each("-t --test --run-tests", "tests are run without --skip-tests"),
    ...each("--no-test --no-tests", "write --skip-tests"),
    ...each("--filter --run -f", "write --test-filter=FILTER"),
    ...each("--format", "write --output=FORMAT"),
    ...each("--json", "write --output=json"),
    ...each("--junit", "write --test-output=junit"),
    ...each("--strict --werror", "write --warnings-as-errors, or --strict-evaluation"),
    ...each("--bundle --out --out-file", "`authz build DIR -o FILE` writes a bundle; --output is the format of what is printed"),
    ...each("-v", "write --verbose"),
    ...each("-w", "write --watch"),
  },
  build: {
    ...each("--key --signing-key --private-key", "write --sign=FILE"),
    ...each("-t --platform --format", "write --target=TARGET"),
  },
  repl: {
    ...each("--eval --exec --expression", "write --evaluate=EXPRESSION"),
    ...each("--input --data", "write --request=FILE"),
    ...each("--json", "write --output=json"),
  },
  migrate: each("--check --diff -n", "write --dry-run"),
  admin: {
    ...each(`${address} --host-port`, "write --server=HOST:PORT"),
    ...each("-u --user", "write --username=NAME"),
    ...each("--pass", "write --password=PASSWORD, or set AUTHZ_PASSWORD"),
    ...each("--no-tls --no-ssl", "write --plaintext"),
    ...each("--ca --cacert", "write --ca-cert=FILE"),
    ...each("--cert --tls-cert", "write --client-cert=FILE"),
    ...each("--key --tls-key", "write --client-key=FILE"),
    ...each("-k --skip-verify", "write --insecure"),
  },
};

/** The same for subcommands; those of the program itself are at "". */
export const commandSlips: { readonly [command: string]: Slips } = {
  "": {
    ...each("start serve up", "write authz server"),
    ...each("test tests check lint validate verify", "authz compile DIR checks policies and runs their tests"),
    ...each("get list put add delete disable enable inspect store audit decisions", "write authz admin"),
    ...each("ctl authzctl", "write authz admin"),
    ...each("reload", "write authz admin store reload"),
    ...each("export", "write authz admin store export DIR"),
    ...each("hash-password passwd password", "write authz admin hash-password"),
    ...each("keygen sign", "write authz bundle"),
    ...each("diff", "write authz bundle diff OLD NEW"),
    ...each("new create", "write authz init DIR"),
    ...each("eval evaluate console", "write authz repl"),
    ...each("health ping status", "write authz healthcheck"),
    ...each("import convert", "write authz migrate DIR"),
  },
  bundle: {
    ...each("build create make new", "write authz build DIR -o FILE"),
    ...each("key keys genkey", "write authz bundle keygen FILE"),
    ...each("check validate", "write authz bundle verify FILE"),
    ...each("show print list cat", "write authz bundle inspect FILE"),
    ...each("compare", "write authz bundle diff OLD NEW"),
  },
  golden: {
    ...each("run test verify compare", "write authz golden check DIR"),
    ...each("add create new", "write authz golden record"),
    ...each("update approve", "write authz golden accept"),
  },
  config: {
    ...each("check lint test verify", "write authz config validate"),
    ...each("show dump list get view", "write authz config print"),
  },
  admin: {
    ...each("list ls show", "write authz admin get"),
    ...each("add apply create set update upload import", "write authz admin put policy, or authz admin put schema"),
    ...each("remove rm del", "write authz admin delete policy, or authz admin delete schema"),
    ...each("reload", "write authz admin store reload"),
    ...each("export backup", "write authz admin store export DIR"),
    ...each("purge", "write authz admin store revisions purge"),
    ...each("log logs", "write authz admin audit"),
    ...each("health status ping", "write authz healthcheck"),
  },
  "admin store": {
    ...each("refresh sync", "write authz admin store reload"),
    ...each("backup dump", "write authz admin store export DIR"),
    ...each("purge", "write authz admin store revisions purge"),
  },
};

/** The same for arguments where a command takes none. */
export const argumentSlips: Slips = {
  server: "a folder of policies: --set=storage.disk.directory=DIR; a configuration: --config=FILE",
  healthcheck: "write --host-port=HOST:PORT",
};
