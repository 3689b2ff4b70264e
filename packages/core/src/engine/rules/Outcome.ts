import { type Effect, Result } from "effect"
import type { AuditEntry, Recorded } from "./AuditEntry.ts"
import type { By } from "./By.ts"
import { descriptions, type DiscardableKind, type RemovableKind, type RowKind, type Rows } from "../../Rows.ts"
import type { DomainEvent, ErasedCall, OtherChange } from "../../Changes.ts"
import type { AskingErrand, AskingKind, Errand, RefusalTo, ReplyTo } from "../../Errands.ts"
import type { PortError } from "../../Errors.ts"
import type { Guard } from "./Guards.ts"
import { written } from "./Put.ts"
import type { WakeupChange } from "./Wakeup.ts"

/** A row that is written over the one that was read, null for a new one. `row` is as it stands then. */
export interface PutRow<K extends RowKind = RowKind> {
  readonly put: K
  readonly before: Rows[K] | null
  readonly row: Rows[K]
  /** Of a new row that does not begin at 1. */
  readonly from?: 0
  /** It comes from elsewhere with all the sets that it is in: nobody decides by them yet, so their guards are not raised. */
  readonly isCarried?: true
}

/** What a step makes of a row; an attempt is counted at its endpoint's, whatever that stands at, and figures are added to those that are there. */
export type RowChange =
  | { readonly [K in RowKind]: PutRow<K> }[RowKind]
  | OtherChange
  | { readonly put: "guard"; readonly guard: Guard }
  | { readonly put: "removal"; readonly kind: RemovableKind; readonly id: string; readonly revision: number }
  | { readonly put: "discard"; readonly kind: DiscardableKind; readonly id: string }

/** Writes a row over the one that was read, null for a new one. Its revision, the sets that it joins and all that follows come by themselves. */
export const put = <K extends RowKind>(kind: K, before: Rows[K] | null, after: Rows[K]): PutRow<K> => ({
  put: kind,
  before,
  ...written(kind, before, after),
})

/** Writes a row as it comes from elsewhere, over one that came before it, null for none. All that follows comes by itself, but no set is joined. */
export const carry = <K extends RowKind>(
  kind: K,
  before: Rows[K] | null,
  after: Rows[K],
): { readonly [P in K]: PutRow<P> }[K] => ({ put: kind, before, ...written(kind, before, after), isCarried: true })

/** Joins a set of which a row does not know the guard: it names a number by its text, and the number's callers go by its id. */
export const joinSet = (guard: Guard): RowChange => ({ put: "guard", guard })

/** Removes a row as it was read. */
export const remove = <K extends RemovableKind>(kind: K, row: Rows[K]): RowChange => ({
  put: "removal",
  kind,
  id: descriptions[kind].id(row),
  revision: row.revision,
})

/** Takes a call back as it was read, as if it had never been written: its dial was refused for good, and there never was a leg. */
export const erase = (call: ErasedCall["call"]): RowChange => ({ put: "erased_call", call })

/** What an organization pays from its wallet, whatever that stands at. */
export const debit = (organization_id: string, amount: number): RowChange => ({ put: "debit", organization_id, amount })

/** Leaves nothing of a row, whatever its revision; that it is as it was read is expected where it was read. */
export const discard = (kind: DiscardableKind, id: string): RowChange => ({ put: "discard", kind, id })

/** What a step says beside the rows that it writes. */
interface Said<Reply> {
  readonly reply: Reply
  /** Entries of the audit trail; an action that is left out is the step's name. */
  readonly audit?: ReadonlyArray<Recorded>
  /** When to look again, where no row alone says it. */
  readonly wakeups?: ReadonlyArray<WakeupChange>
  /** Facts that others may be told of. */
  readonly events?: ReadonlyArray<DomainEvent>
  /** Entries of the audit trail that a row has kept until now. */
  readonly kept?: ReadonlyArray<AuditEntry>
  /** On whose behalf it writes, where its input does not say so: a wake-up names a row, and the row its organization. */
  readonly by?: By
  /** What is done outside once it is written, in this order. */
  readonly errands?: ReadonlyArray<Errand>
}

/** What comes of a step once it has decided: what is answered, or the errand that is asked for the answer, and what else is done outside. */
export interface Decided<Reply, Refusal = never> {
  readonly answer: { readonly reply: Reply } | Asked<Reply, Refusal>
  readonly errands: ReadonlyArray<Errand>
}

/** Does an errand that asks, and takes the step that takes what came of it. */
export type Ask = <K extends AskingKind>(
  errand: AskingErrand<K>,
) => Effect.Effect<Decided<ReplyTo<K>, RefusalTo<K>>, RefusalTo<K> | PortError>

/** An errand on which the answer depends: whoever took the step is answered by the step that takes what comes of it. */
export interface Asked<Reply, Refusal> {
  readonly errand: AskingErrand
  readonly by: (ask: Ask) => Effect.Effect<Decided<Reply, Refusal>, Refusal | PortError>
}

class AskedErrand<K extends AskingKind> implements Asked<ReplyTo<K>, RefusalTo<K>> {
  readonly errand: AskingErrand<K>

  constructor(errand: AskingErrand<K>) {
    this.errand = errand
  }

  by(ask: Ask) {
    return ask<K>(this.errand)
  }
}

/**
 * What comes of a step: what is written and recorded, and what is answered, the error with which it is refused, or the errand whose outcome decides on
 * that.
 */
export class Outcome<Reply, Refusal = never> {
  /** Null: nothing is written. */
  readonly changes: ReadonlyArray<RowChange> | null
  readonly audit: ReadonlyArray<Recorded>
  readonly wakeups: ReadonlyArray<WakeupChange>
  readonly events: ReadonlyArray<DomainEvent>
  readonly kept: ReadonlyArray<AuditEntry>
  readonly by: By | null
  readonly errands: ReadonlyArray<Errand>
  readonly answer: Result.Result<Reply, Refusal> | Asked<Reply, Refusal>

  constructor(
    changes: ReadonlyArray<RowChange> | null,
    answer: Result.Result<Reply, Refusal> | Asked<Reply, Refusal>,
    { audit = [], by, errands = [], events = [], kept = [], wakeups = [] }: Omit<Said<Reply>, "reply"> = {},
  ) {
    this.changes = changes
    this.audit = audit
    this.wakeups = wakeups
    this.events = events
    this.kept = kept
    this.by = by ?? null
    this.errands = errands
    this.answer = answer
  }
}

/** Nothing is written. What is to be done all the same waits for no commit. */
export const unchanged = <Reply>(reply: Reply, errands: ReadonlyArray<Errand> = []): Outcome<Reply> =>
  new Outcome(null, Result.succeed(reply), { errands })

/** The step is refused, and nothing is written. */
export const refused = <Refusal>(error: Refusal): Outcome<never, Refusal> => new Outcome(null, Result.fail(error))

/**
 * The answer depends on what comes of an errand, which is done once the rows are written, and after the other errands; or at once, where nothing is
 * written. Then the step is taken that takes it, and answers.
 */
export const asks = <K extends AskingKind>(
  errand: AskingErrand<K>,
  changes: ReadonlyArray<RowChange> | null = null,
  said: Omit<Said<ReplyTo<K>>, "reply"> = {},
): Outcome<ReplyTo<K>, RefusalTo<K>> => new Outcome(changes, new AskedErrand(errand), said)

/** Rows are written, and what is recorded of it. */
export const write = <Reply>(changes: ReadonlyArray<RowChange>, said: Said<Reply>): Outcome<Reply> =>
  new Outcome(changes, Result.succeed(said.reply), said)
