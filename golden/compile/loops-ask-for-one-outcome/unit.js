// unit resource ticket@default
(rt, k) => {
  const startsWith = rt.functionNamed("startsWith", true, 2);

  // scope "": resource.ticket.vdefault, ticket.yaml:1
  // ticket.yaml:6 some-team: R.attr.teams.exists(team, team in P.attr.teams)
  const someTeam = (q) => rt.some(q, rt.get(q.R, "teams"), (team) => rt.isIn(team, rt.get(q.P, "teams")) === true);
  // ticket.yaml:13 no-secret-label: !R.attr.labels.exists(label, label.startsWith("secret:") || label == "internal")
  const noSecretLabel = (q) => rt.every(q, rt.get(q.R, "labels"), (label) => startsWith(q, label, "secret:") === false &&
    label !== "internal");
  // ticket.yaml:20 one-owner: R.attr.people.filter(person, person.kind == "owner").map(person, person.id) == [P.id]
  const oneOwner = (q) => rt.equal(rt.map(q, rt.filter(q, rt.get(q.R, "people"), (person) => rt.equal(rt.get(person, "kind"), "owner")), (person_2) => rt.get(person_2, "id")), [q.principal.id]) === true;
  // ticket.yaml:27 bound-once: cel.bind(load, P.attr.open + P.attr.waiting, load >= 0.0 && load < 10.0)
  const boundOnce = (q) => rt.bind(() => rt.add(rt.get(q.P, "open"), rt.get(q.P, "waiting")), (load) => {
    let it, it_2;
    return (typeof (it = load()) === "number" && it >= 0 && typeof (it_2 = load()) === "number" && it_2 < 10);
  });

  const root = (q, action, role) => {
    let effect = rt.NONE;
    switch (action) {
      case "read": {
        // ticket.yaml:6 some-team: allow read to clerk when R.attr.teams.exists(team, team in P.attr.teams)
        if (role === "clerk" && q.holds(0, someTeam)) return rt.ALLOW;
        return effect;
      }
      case "share": {
        // ticket.yaml:13 no-secret-label: allow share to clerk when !R.attr.labels.exists(label, label.startsWith("secret:") || label == "internal")
        if (role === "clerk" && q.holds(1, noSecretLabel)) return rt.ALLOW;
        return effect;
      }
      case "close": {
        // ticket.yaml:20 one-owner: allow close to clerk when R.attr.people.filter(person, person.kind == "owner").map(person, person.id) == [P.id]
        if (role === "clerk" && q.holds(2, oneOwner)) return rt.ALLOW;
        return effect;
      }
      case "assign": {
        // ticket.yaml:27 bound-once: allow assign to clerk when cel.bind(load, P.attr.open + P.attr.waiting, load >= 0.0 && load < 10.0)
        if (role === "clerk" && q.holds(3, boundOnce)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root }]] };
}
