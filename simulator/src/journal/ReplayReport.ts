import type { LogLevel } from "effect"
import type { Violation } from "../invariants/Invariants.ts"
import { Fingerprint } from "./Fingerprint.ts"
import type { WrittenJournal } from "./Journal.ts"
import { replay, worldOptionsOf } from "./Replay.ts"

/** What a journal came to when it was lived through again. */
export interface ReplayReport {
  readonly inputs: number
  readonly events: number
  /** Epoch milliseconds of virtual time at the end. */
  readonly now: number
  /** Of everything that the world did. Two runs of one journal have the same. */
  readonly hash: string
  readonly violations: ReadonlyArray<Violation>
}

/** Replays a journal and says what it came to. */
export const replayReport = async (
  journal: WrittenJournal,
  logLevel: LogLevel.LogLevel = "Warn",
): Promise<ReplayReport> => {
  const fingerprint = new Fingerprint()
  const stage = await replay(worldOptionsOf(journal), journal, { logLevel, audience: fingerprint })
  const { clock, events, invariants } = stage.world
  const { violations } = invariants
  return { inputs: journal.lines.length, events, now: clock.now(), hash: fingerprint.digest(stage), violations }
}
