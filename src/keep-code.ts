/** The last step of a build: opens a realm, has it decide, and keeps what the engine has compiled for that. */
import { compile } from "../compiler/index.ts";
import { invariant } from "../runtime/cel/error.ts";
import { openRealm } from "../runtime/sandbox/realm.ts";
import { artefact, realmTexts } from "./artefact.ts";
import { digest } from "./digest.ts";
import { keepCode } from "./kept-code.ts";

const policy = `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: memo
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: R.attr.owner == P.id
`;
const request = {
  principal: { id: "ann", roles: ["user"] },
  resources: [{ actions: ["view"], resource: { kind: "memo", id: "1", attr: { owner: "ann" } } }],
};

const { guest, lockdown } = realmTexts();
const realm = openRealm({ guest, lockdown });
const { compiled } = compile([{ path: "memo.yaml", text: policy }], { digest });
invariant(compiled !== undefined, "the policy above compiles");
realm.load(JSON.stringify(compiled.bundle));
invariant(realm.checkResources(JSON.stringify(request), "", Date.now()).includes("EFFECT_ALLOW"), "the policy above allows");
const code = realm.code();
keepCode(artefact("guest.code"), guest, code.guest);
keepCode(artefact("lockdown.code"), lockdown, code.lockdown);
