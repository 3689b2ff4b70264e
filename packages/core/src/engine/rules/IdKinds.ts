/** The kinds of identifiers and their prefixes (decisions.md, "Identifiers"). */
export const idPrefixes = {
  agent: "agt_",
  execution: "exec_",
  campaign: "cmp_",
  batch: "bat_",
  contact: "con_",
  version: "ver_",
  subscription: "sub_",
  delivery: "dlv_",
  event: "evt_",
  audit: "aud_",
  phoneNumber: "pn_",
  provider: "prv_",
  inboundAgent: "inb_",
  document: "doc_",
  knowledgeBase: "kb_",
  organization: "org_",
  developer: "dev_",
  request: "req_",
  commit: "cmt_",
  process: "prc_",
} as const

export type IdKind = keyof typeof idPrefixes

/** Makes an identifier of what the derivation names. */
export type Mint = (kind: IdKind, ...derivation: ReadonlyArray<string | number>) => string
