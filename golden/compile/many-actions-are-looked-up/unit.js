// unit resource process@default
(rt, k) => {
  const actionUndo = rt.glob("undo:*");
  const numberOfAction = new Map([["step_1", 0], ["step_26", 0], ["step_2", 1], ["step_3", 1], ["step_4", 1], ["step_5", 1], ["step_6", 1], ["step_7", 1], ["step_8", 1], ["step_9", 1], ["step_10", 1], ["step_11", 1], ["step_12", 1], ["step_13", 1], ["step_14", 1], ["step_15", 1], ["step_16", 1], ["step_17", 1], ["step_18", 1], ["step_19", 1], ["step_20", 1], ["step_21", 1], ["step_22", 1], ["step_23", 1], ["step_24", 1], ["step_25", 1], ["view", 2]]);

  // scope "": resource.process.vdefault, process.yaml:2

  // bits of roles: 1 worker, 2 guest, 4 *
  const worker = 1;
  const guest = 2;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (numberOfAction.get(action)) {
      case 0: {
        // action step_1, step_26
        // process.yaml:7 steps: allow step_1, step_2, step_3, step_4, step_5, step_6, step_7, step_8, step_9, step_10, step_11, step_12, step_13, step_14, step_15, step_16, step_17, step_18, step_19, step_20, step_21, step_22, step_23, step_24, step_25, step_26 to worker
        if (roles & worker) effect = rt.ALLOW;
        // process.yaml:11 first-and-last: deny step_1, step_26, undo:* to guest
        if (roles & guest) return rt.DENY;
        return effect;
      }
      case 1: {
        // action step_2, step_3, step_4, step_5, step_6, step_7, step_8, step_9, step_10, step_11, step_12, step_13, step_14, step_15, step_16, step_17, step_18, step_19, step_20, step_21, step_22, step_23, step_24, step_25
        // process.yaml:7 steps: allow step_1, step_2, step_3, step_4, step_5, step_6, step_7, step_8, step_9, step_10, step_11, step_12, step_13, step_14, step_15, step_16, step_17, step_18, step_19, step_20, step_21, step_22, step_23, step_24, step_25, step_26 to worker
        if (roles & worker) return rt.ALLOW;
        return effect;
      }
      case 2: {
        // action view
        // process.yaml:15 look: allow view to *
        return rt.ALLOW;
      }
    }
    // process.yaml:11 first-and-last: deny step_1, step_26, undo:* to guest
    if (roles & guest && actionUndo(action)) return rt.DENY;
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
