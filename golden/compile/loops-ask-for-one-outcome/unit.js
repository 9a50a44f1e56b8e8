// unit resource ticket@default
(rt, k) => {
  const teamsOf = (of) => rt.bare.teams === undefined && typeof of === "object" && of !== null ? of.teams : rt.get(of, "teams");
  const labelsOf = (of) => rt.bare.labels === undefined && typeof of === "object" && of !== null ? of.labels : rt.get(of, "labels");
  const peopleOf = (of) => rt.bare.people === undefined && typeof of === "object" && of !== null ? of.people : rt.get(of, "people");
  const kindOf = (of) => rt.bare.kind === undefined && typeof of === "object" && of !== null ? of.kind : rt.get(of, "kind");
  const idOf = (of) => rt.bare.id === undefined && typeof of === "object" && of !== null ? of.id : rt.get(of, "id");
  const openOf = (of) => rt.bare.open === undefined && typeof of === "object" && of !== null ? of.open : rt.get(of, "open");
  const waitingOf = (of) => rt.bare.waiting === undefined && typeof of === "object" && of !== null ? of.waiting : rt.get(of, "waiting");

  // scope "": resource.ticket.vdefault, ticket.yaml:1
  // R.attr.teams.exists(team, team in P.attr.teams)
  const existsTeam = (q, range) => {
    const items = rt.items(range);
    if (items === undefined) return false;
    const teams = teamsOf(q.P);
    for (let at = 0; at < items.length; at++) {
      const team = items[at];
      q.step();
      if (rt.isIn(team, teams) === true) return true;
    }
    return false;
  };
  // ticket.yaml:6 some-team: R.attr.teams.exists(team, team in P.attr.teams)
  const someTeam = (q) => existsTeam(q, teamsOf(q.R));
  // whether this is false: R.attr.labels.exists(label, label.startsWith("secret:") || label == "internal")
  const noLabel = (q, range) => {
    const items = rt.items(range);
    if (items === undefined) return false;
    for (let at = 0; at < items.length; at++) {
      const label = items[at];
      q.step();
      if (!(typeof label === "string" && !label.startsWith("secret:") && label !== "internal")) return false;
    }
    return true;
  };
  // ticket.yaml:13 no-secret-label: !R.attr.labels.exists(label, label.startsWith("secret:") || label == "internal")
  const noSecretLabel = (q) => noLabel(q, labelsOf(q.R));
  // R.attr.people.filter(person, person.kind == "owner")
  const filterPerson = (q, range) => {
    const items = rt.items(range);
    if (items === undefined) return undefined;
    let it;
    const made = [];
    for (let at = 0; at < items.length; at++) {
      const person = items[at];
      q.step();
      const answer = ((it = kindOf(person)) === undefined ? undefined : it === "owner");
      if (typeof answer !== "boolean") return undefined;
      if (answer) made.push(person);
    }
    return made;
  };
  // R.attr.people.filter(person, person.kind == "owner").map(person, person.id)
  const mapPerson = (q, range) => {
    const items = rt.items(range);
    if (items === undefined) return undefined;
    const made = [];
    for (let at = 0; at < items.length; at++) {
      const person_2 = items[at];
      q.step();
      const one = idOf(person_2);
      if (one === undefined) return undefined;
      made.push(one);
    }
    return made;
  };
  // ticket.yaml:20 one-owner: R.attr.people.filter(person, person.kind == "owner").map(person, person.id) == [P.id]
  const oneOwner = (q) => rt.equal(mapPerson(q, filterPerson(q, peopleOf(q.R))), [q.principal.id]) === true;
  // ticket.yaml:27 bound-once: cel.bind(load, P.attr.open + P.attr.waiting, load >= 0.0 && load < 10.0)
  const boundOnce = (q) => rt.bind(() => rt.add(openOf(q.P), waitingOf(q.P)), (load) => {
    let it, it_2;
    return (typeof (it = load()) === "number" && it >= 0 && typeof (it_2 = load()) === "number" && it_2 < 10);
  });

  // bits of roles: 1 clerk
  const clerk = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "read": {
        // ticket.yaml:6 some-team: allow read to clerk when R.attr.teams.exists(team, team in P.attr.teams)
        if (roles & clerk && q.holds(first + 0, someTeam)) return rt.ALLOW;
        return effect;
      }
      case "share": {
        // ticket.yaml:13 no-secret-label: allow share to clerk when !R.attr.labels.exists(label, label.startsWith("secret:") || label == "internal")
        if (roles & clerk && q.holds(first + 1, noSecretLabel)) return rt.ALLOW;
        return effect;
      }
      case "close": {
        // ticket.yaml:20 one-owner: allow close to clerk when R.attr.people.filter(person, person.kind == "owner").map(person, person.id) == [P.id]
        if (roles & clerk && q.holds(first + 2, oneOwner)) return rt.ALLOW;
        return effect;
      }
      case "assign": {
        // ticket.yaml:27 bound-once: allow assign to clerk when cel.bind(load, P.attr.open + P.attr.waiting, load >= 0.0 && load < 10.0)
        if (roles & clerk && q.holds(first + 3, boundOnce)) return rt.ALLOW;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
