import { Effect, type Stream } from "effect"
import { beginVerification, endVerification, verifyNext } from "../audit/rules/AuditChain.ts"
import { AuditStore } from "../audit/ports/AuditStore.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { set } from "../engine/steps/Reading.ts"
import { Steps } from "../engine/Steps.ts"
import type { Conflict } from "../engine/ports/Store.ts"
import { InvalidField, type PortError, StateConflict } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { RetrievalIndex } from "../knowledge/ports/RetrievalIndex.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { retentionFault } from "../organizations/rules/RetentionDays.ts"
import { Secrets } from "../secrets/ports/Secrets.ts"
import type { SecretUnreadable } from "../secrets/rules/SecretUnreadable.ts"
import { makeBelonging } from "./Belonging.ts"
import { eachPiece, type Piece } from "./FileReading.ts"
import { available, importPiece, mayArrive, numbersOf, writtenPieces } from "./steps/ImportPiece.ts"
import type { Line, PortableTail } from "./rules/PortableFile.ts"
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
  const steps = yield* Steps
  const secrets = yield* Secrets
  const belonging = yield* makeBelonging

  const acceptable = Effect.fnUntraced(function* (line: Line) {
    for (const { place, sealed } of secretsOf(line)) yield* secrets.open(sealed, place)
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
      yield* steps.look(() => available(numbersOf(lines)))
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

  return inspected
})

/** Imports: first the whole file is looked at, then its pieces are written, each in one commit, each once. */
export const makeImporting = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const trail = yield* AuditStore
  const contacts = yield* ContactStore
  const retrieval = yield* RetrievalIndex
  const secrets = yield* Secrets
  const steps = yield* Steps
  const inspected = yield* makeInspection

  /** What is stored beside the rows comes before the rows that tell of it; the same again changes nothing. */
  const store = (organizationId: string, line: Line) => {
    if (line.kind === "entries") return contacts.fill(line.row.batch_id, line.row.from_row, line.row.entries)
    if (line.kind !== "document") return Effect.void
    const { chunks, document_id, retrieval_id } = line.row
    return retrieval.add(organizationId, retrieval_id, document_id, chunks)
  }

  const written = Effect.fnUntraced(function* (file: Inspected, { lines, nth, tail }: Piece) {
    const { organization_id, retention_days } = file
    const piece = { organization_id, sha256: file.tail.sha256, nth, isLast: tail !== null, lines, retention_days }
    // What is refused leaves nothing beside the rows.
    yield* steps.look(() => mayArrive(piece))
    yield* Effect.forEach(lines, (line) => store(organization_id, line), { discard: true })
    const own = yield* Effect.forEach(lines, (line) => resealed(secrets, line))
    yield* steps.propose(importPiece, { ...piece, lines: own })
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
    const before = yield* steps.look(() => set(writtenPieces, { organization_id, sha256: tail.sha256 }))
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
