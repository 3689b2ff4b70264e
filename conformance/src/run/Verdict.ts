/**
 * What became of a check or a case. `n/a` (a capability is not offered) and `untestable` (offered, but it does not
 * work) belong to cases alone; nothing is ever silently left out.
 */
export type Verdict = "pass" | "note" | "xfail" | "flaky" | "fail" | "xpass" | "untestable" | "error" | "n/a"

/** All verdicts, the mildest first: a case is as bad as its worst check. */
export const verdicts: ReadonlyArray<Verdict> = [
  "n/a",
  "pass",
  "note",
  "xfail",
  "flaky",
  "fail",
  "xpass",
  "untestable",
  "error",
]

/** The worst of some verdicts; `otherwise` when there are none. */
export const worst = (some: Iterable<Verdict>, otherwise: Verdict): Verdict => {
  let found = -1
  for (const verdict of some) found = Math.max(found, verdicts.indexOf(verdict))
  return verdicts[found] ?? otherwise
}

/** True for the verdicts that make a run fail. */
export const failsRun = (verdict: Verdict): boolean =>
  verdict === "fail" || verdict === "xpass" || verdict === "untestable" || verdict === "error"

/** True when the check, or every check of the case, held or was expected not to. */
export const holds = (verdict: Verdict): boolean =>
  verdict === "pass" || verdict === "note" || verdict === "xfail" || verdict === "flaky"
