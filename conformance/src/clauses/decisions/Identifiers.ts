import { chosen, profile } from "../Clause.ts"

export const identifierDecisions = chosen("Identifiers", [
  profile(
    "ID-P1",
    "http",
    "Prefixed, URL-safe: `agt_`, `exec_`, `cmp_`, `bat_`, `con_`, `ver_`, `sub_` (webhook subscription), `dlv_`, `evt_`, `aud_`, `pn_`, `prv_`, `inb_`, `doc_`, `org_`, `dev_`.",
  ),
  profile(
    "ID-P2",
    "no",
    "Unpredictable in production, derived from the seed in the simulator.",
    "Unpredictability shows in no finite number of ids, and a black box is not told the seed.",
  ),
  profile("ID-P3", "http", '"Newest first" means by creation time, then by commit order.'),
  profile("ID-P4", "telephony", "`call_sid` is the telephony provider's own leg id."),
])
