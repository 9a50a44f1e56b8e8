/** The files that `authz init` writes: path -> contents. */

/** A policy, a test suite beside it, a configuration file, and a workflow that compiles the policies. */
export const starter: { readonly [path: string]: string } = {
  "policies/document.yaml": `# Who may do what to a document. For one role, a deny beats every allow; a deny for "*" is for everyone.
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  variables:
    local:
      isOwner: R.attr.owner == P.id
  rules:
    - name: everybody-reads-what-is-public
      actions: [view]
      effect: EFFECT_ALLOW
      roles: ["*"]
      condition:
        match:
          expr: R.attr.public == true

    - name: owners-do-everything
      actions: ["*"]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: V.isOwner

    - name: nobody-changes-what-is-archived
      actions: [edit, delete]
      effect: EFFECT_DENY
      roles: ["*"]
      condition:
        match:
          expr: R.attr.archived == true
`,
  "policies/document_test.yaml": `name: documents
description: Every principal of a test is asked about every resource of it.
principals:
  ann: { id: ann, roles: [user] }
  bob: { id: bob, roles: [user] }
resources:
  draft: { kind: document, id: draft, attr: { owner: ann, public: false, archived: false } }
  report: { kind: document, id: report, attr: { owner: ann, public: true, archived: true } }
tests:
  - name: owners change what is not archived
    input:
      principals: [ann, bob]
      resources: [draft, report]
      actions: [view, edit, delete]
    expected:
      - principal: ann
        resource: draft
        actions: { view: EFFECT_ALLOW, edit: EFFECT_ALLOW, delete: EFFECT_ALLOW }
      - principal: ann
        resource: report
        actions: { view: EFFECT_ALLOW, edit: EFFECT_DENY, delete: EFFECT_DENY }
      - principal: bob
        resource: draft
        actions: { view: EFFECT_DENY, edit: EFFECT_DENY, delete: EFFECT_DENY }
      - principal: bob
        resource: report
        actions: { view: EFFECT_ALLOW, edit: EFFECT_DENY, delete: EFFECT_DENY }
`,
  ".authz.yaml": `# Every setting and its default: authz config print
server:
  httpListenAddr: 127.0.0.1:3592
  grpcListenAddr: 127.0.0.1:3593
storage:
  driver: disk
  disk:
    directory: policies
    watchForChanges: true
`,
  ".github/workflows/policies.yaml": `name: policies
on: [push, pull_request]
permissions:
  contents: read
jobs:
  compile:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 22 }
      # List authz among the devDependencies of package.json, as a file or from a registry of yours: it is in no public one.
      - run: npm ci
      - run: npx --no authz config validate .authz.yaml
      # Compiles the policies and runs their tests. For \`golden\`, \`bundle\`, \`signing-key\` and \`types\`, see docs/ci.md.
      - uses: ./node_modules/authz/deploy/github-action
        with:
          policies: policies
          config: .authz.yaml
`,
};
