/** A leg, as the world's carrier has it in its books. */
export interface CallLeg {
  readonly execution_id: string
  readonly to_number: string
  readonly result: string
}

/** What a call may also be whose leg ended so, where the vendor's word of it was lost and nobody can ask. */
export type Unheard = (result: string) => ReadonlyArray<string>

const refused: ReadonlySet<string> = new Set(["unreachable", "rejected", "invalid", "throttled"])

/** What a call may be whose leg ended so. Who reached a machine may have heard so too late, and whose stream broke may not have been told. */
const statuses: Readonly<Record<string, ReadonlyArray<string>>> = {
  completed: ["completed"],
  busy: ["busy"],
  "no-answer": ["no-answer"],
  failed: ["failed"],
  error: ["failed", "error"],
  voicemail: ["no-answer", "completed"],
  "call-disconnected": ["call-disconnected", "completed"],
  // The adapter leaves machines, and callees to whom nobody can speak.
  stopped: ["no-answer", "call-disconnected"],
}

/** What a call may be that nobody was rung for. */
const legless: ReadonlyArray<string> = ["error", "failed", "stopped"]

/** What a call may be that was asked to stop: a process that ended may have hung up and not have written why, and a vendor knows of no why. */
const stoppable: ReadonlyArray<string> = ["stopped", "completed"]

/** What is not true: calls that did not end as their legs did, and whoever was rung again after the engine had them for reached. */
export const truthFaults = (
  ends: ReadonlyMap<string, string>,
  legs: ReadonlyArray<CallLeg>,
  stopped: ReadonlySet<string>,
  unheard: Unheard,
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const rung = legs.filter(({ result }) => !refused.has(result))
  const byId = new Map(rung.map((leg) => [leg.execution_id, leg]))
  for (const [id, status] of ends) {
    const leg = byId.get(id)
    const own = leg === undefined ? legless : [...(statuses[leg.result] ?? []), ...unheard(leg.result)]
    const may = stopped.has(id) ? [...own, ...stoppable] : own
    if (!may.includes(status)) faults.push(`${id} is ${status}, and its leg was ${leg?.result ?? "never made"}`)
  }
  const reached = new Set<string>()
  for (const { execution_id, to_number } of rung) {
    if (reached.has(to_number)) faults.push(`${to_number} was rung again for ${execution_id}, though it was reached`)
    if (ends.get(execution_id) === "completed") reached.add(to_number)
  }
  return faults
}
