import { Effect, Semaphore } from "effect"
import { type Dependency, DependencyUnavailable } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { putId } from "../Rows.ts"
import type { Activity } from "./Activity.ts"
import { type Change, type CommitDraft, type Expectation, laneNumberName } from "./rules/Commit.ts"
import { guardName } from "./rules/Guards.ts"
import { heldKeyName } from "./rules/HeldKey.ts"
import type { Conflict } from "./ports/Store.ts"

/** A row or guard at which a step of an organization has met others, and what is away for it where too many wait. */
export interface Meeting {
  readonly organization_id: string
  readonly at: string
  readonly dependency: Dependency
}

/** A row, or the row or guard at which a commit was refused, as one text. */
export const placeOf = ({ id, kind }: Pick<Conflict, "kind" | "id">): string => `${kind} ${id}`

const expected = (expectation: Expectation): string => {
  if ("guard" in expectation) return guardName(expectation.guard)
  if ("held" in expectation) return `idempotency_key ${heldKeyName(expectation.held)}`
  if ("free" in expectation) return `lane_number ${laneNumberName(expectation.free)}`
  return `${expectation.kind} ${expectation.id}`
}

/** The row that a change replaces or takes back; null where it does neither. */
const replaced = (change: Change): string | null => {
  if ("row" in change) return `${change.put} ${putId(change)}`
  if (change.put === "erased_call") return `call ${change.call.execution_id}`
  return change.put === "removal" ? `${change.kind} ${change.id}` : null
}

/** What each change touches, in their order. */
const touched = (changes: ReadonlyArray<Change>, touches: (change: Change) => string | null): Array<string> => {
  const places: Array<string> = []
  for (const change of changes) {
    const place = touches(change)
    if (place !== null) places.push(place)
  }
  return places
}

/** The rows and guards at which a draft may be refused: those that it expects and those that it replaces. */
const restsOn = ({ changes = [], expect = [] }: CommitDraft): ReadonlyArray<string> => [
  ...expect.map(expected),
  ...touched(changes, replaced),
]

/** The row or guard at which others are refused that rest on what it was before a change. */
const overtaken = (change: Change): string | null =>
  change.put === "guard" ? guardName(change.guard) : replaced(change)

/** Those of one organization that wait at one row or guard, or have their turn there. */
interface Line {
  readonly turn: Semaphore.Semaphore
  steps: number
}

/** Commits on their way that overtake a row or guard. Its turn comes when the last of them is written or refused. */
interface Overtaken {
  /** Null until somebody waits for it. */
  turn: Semaphore.Semaphore | null
  /** When the first of them set out, in epoch milliseconds. */
  readonly since: number
  commits: number
}

/** What one organization has of the turns. */
interface Share {
  readonly places: Semaphore.Semaphore
  readonly lines: Map<string, Line>
  steps: number
}

/**
 * The turns of steps that have met: at one row or guard one step of an organization decides anew at a time, in the order in which they came.
 * A step has one turn at a time and waits for nobody while it has it but for a place, and whoever has a place waits for nobody: so no two wait
 * for each other. Nothing is shared by two organizations, so none waits for another; each has so many places to decide anew. A turn is
 * a courtesy: what is true is judged by the store, and whoever does without one may be refused there and no more.
 */
export class StepTurns {
  readonly #shares = new Map<string, Share>()
  readonly #inTurn: Activity["Service"]["inTurn"]

  /** What commits that are on their way overtake. */
  readonly #overtaken = new Map<string, Overtaken>()

  constructor({ inTurn }: Pick<Activity["Service"], "inTurn">) {
    this.#inTurn = inTurn
  }

  /** How much is known: organizations of which anybody waits or has a turn, and what is about to be overtaken. */
  get size(): number {
    return this.#shares.size + this.#overtaken.size
  }

  /**
   * Where a draft would be refused, or would have others refused that wait: a row or guard at which there is a line, or which a commit
   * overtakes that is on its way. Null where it meets nobody.
   */
  ahead(draft: CommitDraft): string | null {
    const lines = this.#shares.get(draft.organization_id)?.lines
    if (lines === undefined && this.#overtaken.size === 0) return null
    return restsOn(draft).find((at) => this.#overtaken.has(at) || lines?.has(at) === true) ?? null
  }

  /** Writes a draft once, which others see until it is written or refused. */
  seen<A, E, R>(draft: CommitDraft, now: number, writing: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    let places: ReadonlyArray<string> = []
    // Begun within what ends it: whoever is interrupted before has nothing to end.
    const begun = Effect.suspend(() => {
      places = this.#begin(draft, now)
      return writing
    })
    return Effect.onExitPrimitive(begun, () => this.#written(places))
  }

  /** What a draft overtakes, and others see from now on. */
  #begin({ changes = [] }: CommitDraft, now: number): ReadonlyArray<string> {
    const places = touched(changes, overtaken)
    for (const at of places) {
      const known = this.#overtaken.get(at)
      if (known === undefined) this.#overtaken.set(at, { turn: null, since: now, commits: 1 })
      else known.commits += 1
    }
    return places
  }

  /** What is written or refused overtakes nothing any more. Its turn comes to those who wait; nothing is left to do where nobody does. */
  #written(places: ReadonlyArray<string>): Effect.Effect<void> | undefined {
    const turns: Array<Semaphore.Semaphore> = []
    for (const at of places) {
      const known = this.#overtaken.get(at)
      if (known === undefined || (known.commits -= 1) > 0) continue
      this.#overtaken.delete(at)
      if (known.turn !== null) turns.push(known.turn)
    }
    return turns.length === 0 ? undefined : Effect.forEach(turns, (turn) => turn.release(1), { discard: true })
  }

  /**
   * Returns once nothing is on its way any more that overtakes a row or guard now: what was read before would be read once more. What has been on
   * its way for long is not waited for: its store may hang.
   */
  passed(at: string, now: number): Effect.Effect<void> {
    const known = this.#overtaken.get(at)
    if (known === undefined || now - known.since > limits.overtakenFreshMs) return Effect.void
    known.turn ??= Semaphore.makeUnsafe(0)
    return this.#inTurn(known.turn, Effect.void)
  }

  /** Runs something in a turn, which ends with it. Whoever is interrupted leaves the line. */
  within<A, E, R>(meeting: Meeting, use: Effect.Effect<A, E, R>): Effect.Effect<A, E | DependencyUnavailable, R> {
    return Effect.acquireUseRelease(
      Effect.suspend(() => this.#enter(meeting)),
      ({ line, share }) => this.#inTurn(line.turn, this.#inTurn(share.places, use)),
      ({ line, share }) => Effect.sync(() => this.#leave(meeting, share, line)),
    )
  }

  #enter({ at, dependency, organization_id }: Meeting) {
    const share = this.#shares.get(organization_id) ?? {
      places: Semaphore.makeUnsafe(limits.stepsAnewAtOnce),
      lines: new Map<string, Line>(),
      steps: 0,
    }
    if (share.steps === limits.stepsAnewWaiting) return Effect.fail(new DependencyUnavailable({ dependency }))
    const line = share.lines.get(at) ?? { turn: Semaphore.makeUnsafe(1), steps: 0 }
    share.steps += 1
    line.steps += 1
    share.lines.set(at, line)
    this.#shares.set(organization_id, share)
    return Effect.succeed({ share, line })
  }

  #leave({ at, organization_id }: Meeting, share: Share, line: Line): void {
    share.steps -= 1
    line.steps -= 1
    if (line.steps === 0) share.lines.delete(at)
    if (share.steps === 0) this.#shares.delete(organization_id)
  }
}
