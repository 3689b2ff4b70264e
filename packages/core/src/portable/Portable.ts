import { Context, Effect, Layer, type Stream } from "effect"
import { AuditStore } from "../audit/ports/AuditStore.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import { type InvalidField, NotFound, type PortError, StateConflict } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import type { Organization } from "../organizations/rules/Organization.ts"
import { formatUtc } from "../time/Timestamp.ts"
import { type Carrying, makeCarriedRows, Seen } from "./CarriedRows.ts"
import { makeImporting } from "./Importing.ts"
import { type Line, type LineCounts, LineSum, portableFormat, type PortableHeader } from "./rules/PortableFile.ts"
import { recordExport } from "./steps/RecordExport.ts"
import { makeStandingRows, StandingRows } from "./StandingRows.ts"
import { makeStillness } from "./Stillness.ts"

/** What an export wrote. */
export interface ExportReport {
  readonly organization_id: string
  /** Lines of each kind. */
  readonly counts: LineCounts
  /** Documents of knowledge bases that the index did not give; their uploads are in the file, and nothing is found in them afterwards. */
  readonly documents_left_out: number
  /** The sum that the last line tells. */
  readonly sha256: string
}

/** What an import came to. */
export interface ImportReport {
  readonly organization_id: string
  readonly counts: LineCounts
  readonly sha256: string
  /** Commits that an earlier import of the same file had written. */
  readonly pieces_before: number
  readonly pieces: number
}

interface PortableShape {
  /**
   * Writes everything of an organization as lines of JSON, each with its end, one after the other. The organization must be at rest, from the
   * first line to the last; `StateConflict` says what is under way. A file without its last line is refused by `import`. Nothing here changes
   * but the audit trail, which gets a record `organization.export`.
   */
  readonly export: <E>(
    organizationId: string,
    write: (text: string) => Effect.Effect<void, E>,
    options?: { readonly release?: string },
  ) => Effect.Effect<ExportReport, E | NotFound | StateConflict | PortError>
  /**
   * Brings in what an export has written. The file is read twice: nothing is written before all of it was looked at. Refuses, with `InvalidField`,
   * a file that is not whole or not as it was written, and with `StateConflict` what cannot be taken in here. One that broke off is finished by
   * the same file, and only by it.
   */
  readonly import: <E>(
    file: Stream.Stream<Uint8Array, E>,
  ) => Effect.Effect<ImportReport, E | InvalidField | StateConflict | PortError>
}

const underWay = (reasons: ReadonlyArray<string>): StateConflict =>
  new StateConflict({ message: `The organization is not at rest: ${reasons.join("; ")}.` })

const changed = new StateConflict({
  message: "The organization has changed while it was read. Export it again when nobody writes to it.",
})

/** Moves an organization from one installation to another (docs/guides/moving-an-organization.md). */
export class Portable extends Context.Service<Portable, PortableShape>()("@carillon/core/portable/Portable") {
  static readonly layer = Layer.effect(
    Portable,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const trail = yield* AuditStore
      const steps = yield* Steps
      const clock = yield* DomainClock
      const stillness = yield* makeStillness
      const standingRows = yield* makeStandingRows
      const everything = yield* makeCarriedRows
      const importing = yield* makeImporting

      const isHeld = Effect.map(accounts.platform, (platform) => platform?.hold !== undefined)

      const atRest = Effect.fnUntraced(function* (organizationId: string) {
        const held = yield* isHeld
        const reasons = yield* stillness(organizationId, held, clock.now())
        if (reasons.length > 0) return yield* underWay(reasons)
        return held
      })

      /**
       * That what was read fits together: nobody wrote meanwhile, no carrier told anything, nothing came due, and nothing went that was kept for its
       * time. What carriers tell stands in no trail, so the rows that it is written to are read once more.
       */
      const stayed = Effect.fnUntraced(function* (before: Organization, seen: Seen, rows: StandingRows, now: number) {
        const { organization_id, revision, wallet } = before
        const again = yield* standingRows(organization_id, now)
        if (again.sum !== rows.sum) return yield* changed
        yield* atRest(organization_id)
        const after = yield* accounts.organization(organization_id)
        const records = yield* trail.after(organization_id, seen.sequence, 1)
        const purge = yield* accounts.purge(organization_id)
        const isAccountSame = after?.revision === revision && after.wallet.balance === wallet.balance
        const isSame = isAccountSame && purge?.revision === seen.purge?.revision
        if (!isSame || records.length > 0 || seen.nextMove <= clock.now()) return yield* changed
      })

      const exported: PortableShape["export"] = Effect.fnUntraced(function* <E>(
        organization_id: string,
        write: (text: string) => Effect.Effect<void, E>,
        { release }: { readonly release?: string } = {},
      ) {
        const organization = yield* accounts.organization(organization_id)
        if (organization === null) return yield* new NotFound({ message: "Organization not found." })
        yield* atRest(organization_id)
        yield* steps.take(recordExport, { organization_id })
        const sum = new LineSum()
        const line = (value: Line | PortableHeader) =>
          Effect.suspend(() => {
            const text = JSON.stringify(value)
            sum.add(text)
            return write(`${text}\n`)
          })
        const now = clock.now()
        yield* line({
          carillon: "organization",
          format: portableFormat,
          organization_id,
          name: organization.name,
          release: release ?? null,
          exported_at: formatUtc(now),
          piece: limits.portablePiece,
        })
        const seen = new Seen(yield* accounts.purge(organization_id))
        const rows = new StandingRows()
        const emit: Carrying<E>["emit"] = (value) => {
          sum.count(value.kind)
          rows.add(value)
          seen.gone?.add(value, now)
          return line(value)
        }
        yield* everything({ organization_id, now, emit, seen })
        yield* stayed(organization, seen, rows, now)
        const { tail } = sum
        yield* write(`${JSON.stringify(tail)}\n`)
        const { counts, sha256 } = tail
        return { organization_id, counts, documents_left_out: seen.documentsLeftOut, sha256 }
      })

      return Portable.of({ export: exported, import: importing })
    }),
  )
}
