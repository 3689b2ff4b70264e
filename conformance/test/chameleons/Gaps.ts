/**
 * Gaps that no chameleon shows otherwise: what fills them here is a reading (docs: the decisions), and mutants of that reading are judged without a
 * profile, too. By the clause of the gap, those of the readings.
 */
export const filled: Readonly<Record<string, ReadonlyArray<string>>> = {
  "AGENT-CONFIG-G1": ["AGENT-CONFIG-P1", "AGENT-CONFIG-P2", "AGENT-CONFIG-P3"],
  "CAMPAIGN-PATCH-G1": ["CAMPAIGN-PATCH-P1"],
  "EXPERIMENT-STATUS-G1": ["EXPERIMENT-STATUS-P4", "EXPERIMENT-STATUS-P6", "EXPERIMENT-STATUS-P7"],
}

/** Gaps that cannot be shown otherwise in front of a server that is there: another one would have to stand behind the wire. */
export const unworn: Readonly<Record<string, string>> = {
  "CAMPAIGN-SCOPE-G1": "Whose campaign routes are open to another scope cannot be told by changing what ours refuse.",
  "KB-CREATE-G1": "Other names for the fields of an upload are asked for by nobody; ours would have to know them.",
  "DELIVERY-G1": "When a receiver is asked again is the sender's time; no answer holds it.",
  "RATE-G1": "A run has one plan. What a higher one may do is asked for by nobody.",
  "RATE-G2": "The same.",
}
