import { Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import { limits } from "../../Limits.ts"
import type { Sources } from "../../Sources.ts"
import type { Expectation } from "../rules/Commit.ts"
import type { RowAsked } from "../rules/FoundRows.ts"
import { type Guard, guardName } from "../rules/Guards.ts"
import { isRefusal, isRound, type Reading, type Request, type Round, type RowExpectation } from "./Reading.ts"

/** A row as one text. */
export const rowName = ({ id, kind }: Pick<RowExpectation, "kind" | "id">): string => `${kind} ${id}`

/** What a step has read so far, and what its commit expects of it. */
export class Grounds {
  readonly #guards = new Map<string, Expectation>()
  readonly #rows: Array<Request> = []
  readonly #seen: Array<Expectation> = []

  /** The guards of a round whose versions are asked for before its sets are read. One that was asked for in an earlier round stays as it was. */
  unknown(requests: ReadonlyArray<Request>): ReadonlyArray<Guard> {
    const names = new Set<string>()
    const unknown: Array<Guard> = []
    for (const { guard, mayBeOld, version } of requests) {
      if (guard === null || mayBeOld !== null || version !== null) continue
      const name = guardName(guard)
      if (this.#guards.has(name) || names.has(name)) continue
      names.add(name)
      unknown.push(guard)
    }
    return unknown
  }

  /** Enters how guards stand. */
  hold(guards: ReadonlyArray<Guard>, versions: ReadonlyArray<number>): void {
    for (const [nth, guard] of guards.entries()) {
      this.#guards.set(guardName(guard), { guard, version: versions[nth] ?? 0 })
    }
  }

  /** Enters the rows of a round, once they are read, and the guards whose versions need not be asked for. */
  enter(requests: ReadonlyArray<Request>): void {
    for (const request of requests) {
      if (request.mayBeOld !== null) continue
      const { guard, row, seen, version } = request
      if (row !== null) this.#rows.push(request)
      this.#seen.push(...seen)
      if (guard !== null && version !== null) this.hold([guard], [version])
    }
  }

  /** What a commit expects that replaces those rows: each of them is expected at its revision by its change. */
  expected(replaced: ReadonlySet<string>): ReadonlyArray<Expectation> {
    const rows = new Map<string, Expectation>()
    for (const { expected } of this.#rows) {
      if (expected === null) continue
      const name = rowName(expected)
      if (!replaced.has(name)) rows.set(`${name} ${expected.revision}`, expected)
    }
    return [...this.#guards.values(), ...this.#seen, ...rows.values()]
  }
}

/** The rows that a round asks for. */
const questionsOf = (requests: ReadonlyArray<Request>): ReadonlyArray<RowAsked> => {
  const questions: Array<RowAsked> = []
  for (const { row } of requests) if (row !== null) questions.push(row)
  return questions
}

/** What a step comes to rest on that reads nothing: what whoever proposes it has read before is all that it asks for. */
export const readBefore = <View, Refusal>(reading: Reading<View, Refusal>): readonly [view: View, grounds: Grounds] => {
  const grounds = new Grounds()
  let next = reading.next()
  while (next.done !== true) {
    const requests = isRound(next.value) ? next.value.requests : null
    if (requests === null || requests.some((request) => !request.isSeen)) {
      throw new Error("What is drafted for who has a line rests on what was read before.")
    }
    grounds.enter(requests)
    next = reading.next()
  }
  return [next.value, grounds]
}

/** How many rows a step may read where that is bounded; null where nothing is. */
export type RowsAtMost = number | null

/** How much a step may read. */
const bounded = (rounds: number, rows: number, rowsAtMost: number): void => {
  if (rounds > limits.stepRounds) throw new Error(`A step reads in ${limits.stepRounds} rounds at most.`)
  if (rows > rowsAtMost)
    throw new Error(`A step reads ${rowsAtMost} rows at most: larger work is done a page at a time.`)
}

/** Asks for everything that a reading asks for, a round after the other. Where nothing will be written (`grounds` is null), nothing is held. */
export function* read<View, Refusal>(
  reading: Reading<View, Refusal>,
  sources: Sources,
  grounds: Grounds | null,
  rowsAtMost: RowsAtMost,
): Effect.fn.Return<View, Exclude<Refusal, Round> | PortError> {
  let rounds = 0
  let rows = 0
  let next = reading.next()
  while (next.done !== true) {
    const asked = next.value
    if (isRefusal(asked)) return yield* Effect.fail(asked)
    const requests = isRound(asked) ? asked.requests : []
    const guards = grounds?.unknown(requests) ?? []
    if (guards.length > 0) grounds?.hold(guards, yield* sources.store.versions(guards))
    const questions = questionsOf(requests)
    if (questions.length > 0) {
      const found = yield* sources.store.rows(questions)
      for (const request of requests) request.found(found)
    }
    for (const request of requests) {
      const other = request.read(sources)
      if (other !== null) yield* other
      rows += request.rows
    }
    grounds?.enter(requests)
    rounds += 1
    if (rowsAtMost !== null) bounded(rounds, rows, rowsAtMost)
    next = reading.next()
  }
  return next.value
}
