import { Effect, type Stream } from "effect"
import { beginVerification, endVerification, verifyNext } from "../audit/AuditChain.ts"
import { Audit } from "../audit/Audit.ts"
import { AuditStore } from "../audit/AuditStore.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { type CommitDraft, joined } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { holdersOf, importOf } from "../engine/Guards.ts"
import { put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import type { Conflict } from "../engine/Store.ts"
import { InvalidField, type PortError, StateConflict } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { RetrievalIndex } from "../knowledge/RetrievalIndex.ts"
import { NumberOwnership } from "../numbers/NumberOwnership.ts"
import { NumberStore } from "../numbers/NumberStore.ts"
import type { PhoneNumber } from "../numbers/PhoneNumber.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import { retentionFault } from "../organizations/RetentionDays.ts"
import { purgeWakeup } from "../retention/PurgeWakeup.ts"
import { Secrets, type SecretUnreadable } from "../secrets/Secrets.ts"
import { arrivalOf, keepingAll } from "./Arrivals.ts"
import { makeBelonging } from "./Belonging.ts"
import { eachPiece, type Piece } from "./FileReading.ts"
import type { Line, PortableTail } from "./PortableFile.ts"
import { resealed, secretsOf } from "./PortableSecrets.ts"

/** A file that was looked at: whose it is, how it ends, and in how many pieces it is written. */
interface Inspected {
  readonly organization_id: string
  readonly tail: PortableTail
  readonly pieces: number
  /** For how many days it keeps what is over; null: for ever. */
  readonly retention_days: number | null
}

const refused = (message: string): StateConflict => new StateConflict({ message })

const damaged = (reason: string): InvalidField => new InvalidField({ field: "file", reason })

const unreadable = (error: SecretUnreadable): StateConflict =>
  refused(`${error.message} Give this installation the keys under which the secrets of the file are sealed.`)

/** Why a piece is not written that was to be. */
const met = ({ id, kind }: Conflict): StateConflict => {
  if (kind === "organization_import") return refused("The same file is being imported by somebody else.")
  if (kind === "number_holders")
    return refused("One of its phone numbers was registered here meanwhile. Import it again.")
  return refused(`There is something in the place of ${kind} ${id}.`)
}

/** What must hold before anything is written. */
const makeInspection = Effect.gen(function* () {
  const numbers = yield* NumberStore
  const ownership = yield* NumberOwnership
  const secrets = yield* Secrets
  const belonging = yield* makeBelonging

  /** Whether the number may be registered here, by the word of the host. */
  const available = Effect.fnUntraced(function* ({ organization_id, phone_number, phone_number_id }: PhoneNumber) {
    const all = yield* numbers.holders(phone_number)
    const holders = all.filter((holder) => holder !== organization_id)
    if (yield* ownership.mayRegister({ organization_id, phone_number, holders })) return
    return yield* refused(`The phone number ${phone_number_id} is not available to this organization here.`)
  })

  const acceptable = Effect.fnUntraced(function* (line: Line) {
    for (const { place, sealed } of secretsOf(line)) yield* secrets.open(sealed, place)
    if (line.kind === "phone_number") yield* available(line.row)
    const fault = line.kind === "organization" ? retentionFault(line.row.retention_days) : null
    if (fault !== null) return yield* damaged(`has an organization whose ${fault.field} ${fault.reason}`)
  })

  const inspected = Effect.fnUntraced(function* <E>(
    file: Stream.Stream<Uint8Array, E>,
  ): Effect.fn.Return<Inspected, E | InvalidField | StateConflict | PortError> {
    let chain = beginVerification()
    let retention_days: number | null = null
    const found: Array<Inspected> = []
    const belongs = belonging()
    const look = Effect.fnUntraced(function* ({ header: { organization_id }, lines, nth, tail }: Piece) {
      for (const line of lines) {
        if (line.kind === "audit") chain = verifyNext(chain, line.row)
        if (line.kind === "organization") retention_days = line.row.retention_days ?? null
        yield* acceptable(line)
        yield* belongs(organization_id, line)
      }
      if (tail === null) return
      found.push({ organization_id, tail, pieces: nth + 1, retention_days })
    })
    yield* eachPiece(file, (piece) =>
      Effect.catchTag(look(piece), "SecretUnreadable", (error) => Effect.fail(unreadable(error))),
    )
    const [whole] = found
    if (whole === undefined || !endVerification(chain).valid) {
      return yield* damaged("has an audit trail that does not verify")
    }
    return whole
  })

  return { available, inspected }
})

/** Imports: first the whole file is looked at, then its pieces are written, each in one commit, each once. */
export const makeImporting = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const trail = yield* AuditStore
  const contacts = yield* ContactStore
  const retrieval = yield* RetrievalIndex
  const secrets = yield* Secrets
  const audit = yield* Audit
  const steps = yield* Steps
  const clock = yield* DomainClock
  const { available, inspected } = yield* makeInspection

  /** What is stored beside the rows comes before the rows that tell of it; the same again changes nothing. */
  const store = (organizationId: string, line: Line) => {
    if (line.kind === "entries") return contacts.fill(line.row.batch_id, line.row.from_row, line.row.entries)
    if (line.kind !== "document") return Effect.void
    const { chunks, document_id, retrieval_id } = line.row
    return retrieval.add(organizationId, retrieval_id, document_id, chunks)
  }

  /** The numbers of a piece, and that nobody else registers them meanwhile. */
  const numbersOf = Effect.fnUntraced(function* (lines: ReadonlyArray<Line>) {
    const rows = lines.flatMap((line) => (line.kind === "phone_number" ? [line.row] : []))
    const standing = yield* steps.standing(...rows.map(({ phone_number }) => holdersOf(phone_number)))
    yield* Effect.forEach(rows, available, { discard: true })
    return standing
  })

  /** That nobody else has recorded anything in the place of a record of the file. Behind them anybody may: the organization is here by then. */
  const trailGoesOn = Effect.fnUntraced(function* (organizationId: string, lines: ReadonlyArray<Line>) {
    const first = lines.find((line) => line.kind === "audit")
    if (first === undefined) return
    const found = yield* trail.after(organizationId, first.row.sequence - 1, 1)
    if (found.length > 0) {
      return yield* refused("Something was recorded in the audit trail of the organization while it was imported.")
    }
  })

  /** What the last piece says beside its lines: that all of it is there, and that from now on what was kept for its time goes. */
  const ending = Effect.fnUntraced(function* (
    { organization_id, retention_days, tail }: Inspected,
    now: number,
  ): Effect.fn.Return<Partial<CommitDraft>, PortError> {
    const resource = { type: "organization", id: organization_id }
    const details = { sha256: tail.sha256 }
    const told: Partial<CommitDraft> = {
      audit: [audit.bySystem(organization_id, { action: "organization.import", resource, details })],
      wakeups: [{ set: { kind: "dispatch", subject: organization_id, at: now } }],
    }
    if (retention_days === null) return told
    // Null where the organization is in this very piece.
    const here = yield* accounts.organization(organization_id)
    // What somebody has decided here meanwhile stands.
    const isUndecided = here !== null && (here.retention_days ?? null) === null
    const kept = isUndecided ? [put("organization", here, { ...here, retention_days })] : []
    const look = { changes: kept, wakeups: [{ set: purgeWakeup(organization_id, now) }] }
    return joined({ organization_id, ...told }, look)
  })

  const written = Effect.fnUntraced(function* (file: Inspected, piece: Piece) {
    const { organization_id } = file
    const { lines, nth, tail } = piece
    yield* trailGoesOn(organization_id, lines)
    const guard = importOf(organization_id, file.tail.sha256)
    const standing = yield* numbersOf(lines)
    yield* Effect.forEach(lines, (line) => store(organization_id, line), { discard: true })
    const own = yield* Effect.forEach(lines, (line) => resealed(secrets, line))
    const arriving = nth === 0 && tail !== null ? own : own.map(keepingAll)
    const now = clock.now()
    const draft = joined(
      { organization_id, expect: [...standing, { guard, version: nth }], changes: [{ put: "guard", guard }] },
      ...arriving.map((line) => arrivalOf(line, now)),
    )
    yield* steps.attempt(tail === null ? draft : joined(draft, yield* ending(file, now)))
  })

  /** Whether there is anything of an organization: its audit trail comes before itself. */
  const isHere = Effect.fnUntraced(function* (organizationId: string) {
    if ((yield* accounts.organization(organizationId)) !== null) return true
    return (yield* trail.after(organizationId, 0, 1)).length > 0
  })

  /** What an organization has to spend changes while it comes in: booked calls are made. */
  const isNeighbour = (failure: { readonly _tag: string; readonly kind?: string }): boolean =>
    failure._tag === "Conflict" && failure.kind === "organization"

  return Effect.fnUntraced(function* <E>(bytes: Stream.Stream<Uint8Array, E>) {
    const file = yield* inspected(bytes)
    const { organization_id, pieces, tail } = file
    const [progress] = yield* steps.standing(importOf(organization_id, tail.sha256))
    const before = progress !== undefined && "guard" in progress ? progress.version : 0
    if (before === 0 && (yield* isHere(organization_id))) {
      return yield* refused(
        `There is an organization ${organization_id} here already, or an import of it from another file has begun.`,
      )
    }
    yield* eachPiece(bytes, (piece) =>
      piece.nth < before
        ? Effect.void
        : written(file, piece).pipe(
            Effect.retry({ times: limits.commitAttempts, while: isNeighbour }),
            Effect.catchTag("Conflict", (conflict) => Effect.fail(met(conflict))),
            Effect.catchTag("SecretUnreadable", (error) => Effect.fail(unreadable(error))),
          ),
    )
    return { organization_id, counts: tail.counts, sha256: tail.sha256, pieces_before: before, pieces }
  })
})
