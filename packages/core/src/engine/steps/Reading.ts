import { Effect, Result } from "effect"
import type { PortError } from "../../Errors.ts"
import { descriptions, type RowKind, type Rows } from "../../Rows.ts"
import type { Sources } from "../../Sources.ts"
import type { Figures } from "../../Changes.ts"
import type { Expectation } from "../rules/Commit.ts"
import type { FoundRows, RowAsked } from "../rules/FoundRows.ts"
import type { Guard } from "../rules/Guards.ts"
import type { Revised } from "../rules/RowDescription.ts"
import type { ListDescription, ManySets, Question, SetDescription } from "./SetDescription.ts"

/**
 * Why something that was read may be old when the commit is written: the outcome is the same as if the step had come a moment earlier; what was
 * read only grows towards what was decided; it is looked at again before anything comes of it; or whoever changes it makes somebody look.
 */
export type MayBeOld = "earlier" | "grows" | "again" | "level"

/** One thing that a step asks for. It keeps its own answer. */
export abstract class Request {
  /** Set where what is read may be old: the commit does not rest on it. */
  mayBeOld: MayBeOld | null = null
  /** The row that it asks for; the rows of a round are read together. */
  readonly row: RowAsked | null = null
  /** What stands for the set that it asks for; its version is asked for before the set is read. */
  readonly guard: Guard | null = null
  /** The version of the guard that the commit expects, where it is not asked for. */
  readonly version: number | null = null

  /** What somebody else has read, as a commit expects it. */
  readonly seen: ReadonlyArray<Expectation> = []

  /** Whether nothing is asked for, because somebody else has read it. */
  get isSeen(): boolean {
    return false
  }

  /** Takes its row from those of the round. */
  found(_rows: FoundRows): void {}

  /** Asks for what is no row; null where there is nothing else to ask for. */
  read(_sources: Sources): Effect.Effect<void, PortError> | null {
    return null
  }

  /** What a commit expects of the row that was found. */
  get expected(): RowExpectation | null {
    return null
  }

  /** Of how many rows the answer is made. */
  get rows(): number {
    return 1
  }
}

/** What a commit expects of a row. */
export type RowExpectation = Extract<Expectation, { readonly kind: RowKind }>

/** What a step asks for at once. */
export class Round {
  readonly requests: ReadonlyArray<Request>

  constructor(requests: ReadonlyArray<Request>) {
    this.requests = requests
  }
}

/**
 * What a step reads, as a generator: it yields what it asks for, a round at a time, or an error with which the step is refused; then nothing
 * more is asked of it.
 */
export type Reading<View, Refusal = never> = Generator<Round | Refusal, View, void>

/** Whether a reading asks for something. */
export const isRound = <Refusal>(asked: Round | Refusal): asked is Round => asked instanceof Round

/** Whether it refuses. What asks and never refuses is taken by the compiler for one that refuses with a round. */
export const isRefusal = <Refusal>(asked: Round | Refusal): asked is Exclude<Refusal, Round> =>
  !(asked instanceof Round)

class RowRequest<K extends RowKind> extends Request {
  override readonly row: RowAsked<K>
  readonly #owner: string | null
  #found: Rows[K] | null = null

  constructor(row: RowAsked<K>, owner: string | null) {
    super()
    this.row = row
    this.#owner = owner
  }

  override found(rows: FoundRows): void {
    this.#found = rows.of(this.row)
  }

  /** The row; one of another organization is none. */
  get answer(): Rows[K] | null {
    return this.#isForeign ? null : this.#found
  }

  /** The absence of a second key is held by the row that takes it, or by the guard of a set; and a row stays whose it is. */
  override get expected(): RowExpectation | null {
    const { kind } = this.row
    if (this.#isForeign) return null
    if (this.#found !== null) return { kind, id: descriptions[kind].id(this.#found), revision: this.#found.revision }
    return "id" in this.row ? { kind, id: this.row.id, revision: 0 } : null
  }

  get #isForeign(): boolean {
    if (this.#found === null || this.#owner === null) return false
    const { organization_id }: Revised = this.#found
    return organization_id !== this.#owner
  }
}

class OtherRequest<Answer> extends Request {
  override readonly guard: Guard | null
  readonly #ask: (sources: Sources) => Effect.Effect<Answer, PortError>
  #answered: { readonly answer: Answer } | null = null

  constructor(guard: Guard | null, ask: (sources: Sources) => Effect.Effect<Answer, PortError>) {
    super()
    this.guard = guard
    this.#ask = ask
  }

  override read(sources: Sources): Effect.Effect<void, PortError> {
    return Effect.map(this.#ask(sources), (answer) => {
      this.#answered = { answer }
    })
  }

  get answer(): Answer {
    if (this.#answered === null) throw new Error("Whoever takes a step answers a round before it goes on.")
    return this.#answered.answer
  }

  override get rows(): number {
    const answer = this.#answered?.answer
    return Array.isArray(answer) ? answer.length : 1
  }
}

/** Stands for a set that another request of the round reads. */
class GuardRequest extends Request {
  override readonly guard: Guard

  constructor(guard: Guard) {
    super()
    this.guard = guard
  }

  override get rows(): number {
    return 0
  }
}

class ManySetsRequest<Member> extends OtherRequest<ReadonlyArray<ReadonlyArray<Member>>> {
  override get rows(): number {
    return this.answer.reduce((sum, members) => sum + members.length, 0)
  }
}

class RaisedRequest extends Request {
  override readonly guard: Guard
  override readonly version: number

  constructor(guard: Guard, version: number) {
    super()
    this.guard = guard
    this.version = version
  }
}

/** What somebody else has read. */
class SeenRequest extends Request {
  override readonly seen: ReadonlyArray<Expectation>

  constructor(seen: ReadonlyArray<Expectation>) {
    super()
    this.seen = seen
  }

  override get isSeen(): boolean {
    return true
  }
}

/**
 * A row by its id, or null; with `of`, one of that organization or null. The commit expects it as it was read, and its absence, unless it writes
 * the row.
 */
export function* row<K extends RowKind>(kind: K, id: string, owned?: { readonly of: string }): Reading<Rows[K] | null> {
  const request = new RowRequest({ kind, id }, owned?.of ?? null)
  yield new Round([request])
  return request.answer
}

/**
 * The row of an organization that has the second key (`unique` of its description), or null. The commit expects a row that was found, unless it
 * writes it. That there is none is held by the row that the step puts there, or by the guard of a set that it reads.
 */
export function* byKey<K extends RowKind>(kind: K, organization_id: string, key: string): Reading<Rows[K] | null> {
  const request = new RowRequest({ kind, organization_id, key }, null)
  yield new Round([request])
  return request.answer
}

/** The members of a set. The commit expects that nobody has joined it since. */
export function* set<Key, Members>(description: SetDescription<Key, Members>, key: Key): Reading<Members> {
  const { guard, read } = description
  const request = new OtherRequest(guard(key), (sources) => read(sources, key))
  yield new Round([request])
  return request.answer
}

/** The members of several sets, in the order of their keys. The commit expects that nobody has joined any of them since. */
export function* sets<Key, Member>(
  { guard, read }: ManySets<Key, Member>,
  keys: ReadonlyArray<Key>,
): Reading<ReadonlyArray<ReadonlyArray<Member>>> {
  const request = new ManySetsRequest(null, (sources) => read(sources, keys))
  yield new Round([...keys.map((key) => new GuardRequest(guard(key))), request])
  return request.answer
}

/** What a query finds. Nothing is expected of it, so it is read in a `glance`, which says why it may be old. */
export function* list<Key, Members>({ read }: ListDescription<Key, Members>, key: Key): Reading<Members> {
  const request = new OtherRequest(null, (sources) => read(sources, key))
  yield new Round([request])
  return request.answer
}

/** That nobody has ever raised a guard, with a sentence for the page of steps. Nothing is read: where somebody has, the commit is refused. */
export function* unraised(guard: Guard, _says: string): Reading<void> {
  yield new Round([new RaisedRequest(guard, 0)])
}

/** That a guard stands at a version that is known, with a sentence for the page of steps. Nothing is read: where it does not, the commit is refused. */
export function* raisedTo(guard: Guard, version: number, _says: string): Reading<void> {
  yield new Round([new RaisedRequest(guard, version)])
}

/**
 * What whoever proposes the step has read before, as the commit expects it, with a sentence for the page of steps. Nothing is read; where it has
 * changed the proposer looks anew.
 */
export function* seen(expectations: ReadonlyArray<Expectation>, _says: string): Reading<void> {
  yield new Round([new SeenRequest(expectations)])
}

/** What is counted of a campaign or a batch. A count is relative, so nothing is expected of it but the guard of what makes it grow. */
export function* sum(subject: string, guard: Guard | null): Reading<Figures> {
  const request = new OtherRequest(guard, ({ tallies }) => tallies.read(subject))
  yield new Round([request])
  return request.answer
}

/** What somebody says who is no store. Nothing is expected of it. */
export function* ask<Key, Answer>(question: Question<Key, Answer>, key: Key): Reading<Answer> {
  const request = new OtherRequest(null, (sources) => question.ask(sources, key))
  yield new Round([request])
  return request.answer
}

/** Refuses the step. What comes after is not reached. */
export function* refuse<Refusal>(error: Refusal): Generator<Refusal, never, void> {
  for (;;) yield error
}

/** What a rule has found, or the error with which the step is refused. */
export function* orRefuse<Found, Refusal>(result: Result.Result<Found, Refusal>): Generator<Refusal, Found, void> {
  return Result.isFailure(result) ? yield* refuse(result.failure) : result.success
}

/** Reads what may be old when the commit is written, and says why: the kind of reason, and a sentence for the page of steps. */
export function* glance<View, Refusal>(
  mayBeOld: MayBeOld,
  _because: string,
  reading: Reading<View, Refusal>,
): Reading<View, Refusal> {
  let next = reading.next()
  while (next.done !== true) {
    if (isRound(next.value)) for (const request of next.value.requests) request.mayBeOld = mayBeOld
    yield next.value
    next = reading.next()
  }
  return next.value
}

/** What readings ask for next as one round, or the refusal of the first that refuses; null once all of them have read. */
const together = <View, Refusal>(
  nexts: ReadonlyArray<IteratorResult<Round | Refusal, View>>,
): Round | Refusal | null => {
  const requests: Array<Request> = []
  let haveRead = true
  for (const next of nexts) {
    if (next.done === true) continue
    if (!isRound(next.value)) return next.value
    for (const request of next.value.requests) requests.push(request)
    haveRead = false
  }
  return haveRead ? null : new Round(requests)
}

const goOn = <View, Refusal>(
  readings: ReadonlyArray<Reading<View, Refusal>>,
  nexts: Array<IteratorResult<Round | Refusal, View>>,
): void => {
  for (let nth = 0; nth < readings.length; nth++) if (nexts[nth]!.done !== true) nexts[nth] = readings[nth]!.next()
}

const viewsOf = <View, Refusal>(nexts: ReadonlyArray<IteratorResult<Round | Refusal, View>>): ReadonlyArray<View> => {
  const views: Array<View> = []
  for (const next of nexts) if (next.done === true) views.push(next.value)
  return views
}

/** Reads side by side: each round asks for all that they ask for next. Where several refuse, the first of them that does is heard. */
export function* each<View, Refusal = never>(
  readings: ReadonlyArray<Reading<View, Refusal>>,
): Reading<ReadonlyArray<View>, Refusal> {
  // A generator keeps room for all that its loops use, so they are elsewhere.
  const nexts = readings.map((reading) => reading.next())
  for (let asked = together(nexts); asked !== null; asked = together(nexts)) {
    yield asked
    goOn(readings, nexts)
  }
  return viewsOf(nexts)
}

/** The same of a few readings that read different things. */
export function all<A, B, E1 = never, E2 = never>(
  one: Reading<A, E1>,
  two: Reading<B, E2>,
): Reading<readonly [A, B], E1 | E2>
export function all<A, B, C, E1 = never, E2 = never, E3 = never>(
  one: Reading<A, E1>,
  two: Reading<B, E2>,
  three: Reading<C, E3>,
): Reading<readonly [A, B, C], E1 | E2 | E3>
export function all(...readings: ReadonlyArray<Reading<unknown, unknown>>): Reading<ReadonlyArray<unknown>, unknown> {
  return each(readings)
}
