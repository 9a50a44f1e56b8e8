// unit resource board@default
(rt, k) => {
  // scope "": resource.board.vdefault, board.yaml:1
  // board.yaml:7 teams-view, output when ruleActivated: "seen"
  const teamsViewTells = (q) => "seen";

  // bits of roles[0]: 1 team_01, 2 team_02, 4 team_03, 8 team_04, 16 team_05, 32 team_06, 64 team_07, 128 team_08, 256 team_09, 512 team_10, 1024 team_11, 2048 team_12, 4096 team_13, 8192 team_14, 16384 team_15, 32768 team_16, 65536 team_17, 131072 team_18, 262144 team_19, 524288 team_20, 1048576 team_21, 2097152 team_22, 4194304 team_23, 8388608 team_24, 16777216 team_25, 33554432 team_26, 67108864 team_27, 134217728 team_28, 268435456 team_29, 536870912 team_30, 1073741824 team_31
  // bits of roles[1]: 1 team_32, 2 team_33
  const team_01Or30Others = 2147483647;
  const team_32OrTeam_33 = 3;
  const team_33 = 2;
  const team_31 = 1073741824;
  const team_32 = 1;
  const root = (q, action, roles, first) => {
    let effect = rt.NONE;
    switch (action) {
      case "view": {
        // board.yaml:7 teams-view: allow view to team_01, team_02, team_03, team_04, team_05, team_06, team_07, team_08, team_09, team_10, team_11, team_12, team_13, team_14, team_15, team_16, team_17, team_18, team_19, team_20, team_21, team_22, team_23, team_24, team_25, team_26, team_27, team_28, team_29, team_30, team_31, team_32, team_33
        if (roles[0] & team_01Or30Others || roles[1] & team_32OrTeam_33) {
          q.output(first + 0, "resource.board.vdefault#teams-view", action, teamsViewTells, rt.count(roles[0] & team_01Or30Others) +
            rt.count(roles[1] & team_32OrTeam_33));
          return rt.ALLOW;
        }
        return effect;
      }
      case "edit": {
        // board.yaml:46 last-edits: allow edit to team_33
        if (roles[1] & team_33) return rt.ALLOW;
        return effect;
      }
      case "delete": {
        // board.yaml:50 some-delete: deny delete to team_31, team_32
        if (roles[0] & team_31 || roles[1] & team_32) return rt.DENY;
        return effect;
      }
    }
    return effect;
  };

  return { scopes: [["", { derivedRoles: rt.noRoles, decide: root, first: 0 }]] };
}
