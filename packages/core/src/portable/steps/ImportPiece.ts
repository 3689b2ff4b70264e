import { Effect } from "effect"
import type { AuditRecord } from "../../audit/rules/AuditChain.ts"
import { importOf } from "../../engine/rules/Guards.ts"
import { joinSet, put, type RowChange, write } from "../../engine/rules/Outcome.ts"
import { all, ask, each, glance, list, raisedTo, type Reading, refuse, row, sets } from "../../engine/steps/Reading.ts"
import type { ListDescription, SetDescription } from "../../engine/steps/SetDescription.ts"
import { step } from "../../engine/steps/Step.ts"
import type { WakeupChange } from "../../engine/rules/Wakeup.ts"
import { StateConflict } from "../../Errors.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { mayRegister, numberHolders } from "../../numbers/steps/NumberSets.ts"
import type { PhoneNumber } from "../../numbers/rules/PhoneNumber.ts"
import type { Organization } from "../../organizations/rules/Organization.ts"
import { purgeWakeup } from "../../retention/rules/PurgeWakeup.ts"
import { arrivalOf, keepingAll } from "./Arrivals.ts"
import type { Line } from "../rules/PortableFile.ts"

/** A piece of a file that was looked at. */
export interface ArrivingPiece extends ByEngine {
  /** Of the file. */
  readonly sha256: string
  /** From 0. */
  readonly nth: number
  readonly isLast: boolean
  /** Sealed under the keys of this installation. */
  readonly lines: ReadonlyArray<Line>
  /** For how many days the file keeps what is over; null: for ever. */
  readonly retention_days: number | null
}

/** A file by its organization and its sum. */
type ImportedFile = Pick<ArrivingPiece, "organization_id" | "sha256">

/** How many pieces of a file were written. */
export const writtenPieces: SetDescription<ImportedFile, number> = {
  members: "pieces of a file that an import has written",
  guard: ({ organization_id, sha256 }) => importOf(organization_id, sha256),
  read: ({ store }, { organization_id, sha256 }) =>
    Effect.map(store.versions([importOf(organization_id, sha256)]), ([version = 0]) => version),
}

/** What an audit trail has behind a record. */
const recordsBehind: ListDescription<ByEngine & { readonly sequence: number }, ReadonlyArray<AuditRecord>> = {
  members: "the next record of an audit trail",
  read: ({ audit }, { organization_id, sequence }) => audit.after(organization_id, sequence, 1),
}

/** That numbers may be registered here, by the word of the host. */
export function* available(numbers: ReadonlyArray<PhoneNumber>): Reading<void, StateConflict> {
  const texts = numbers.map(({ phone_number }) => phone_number)
  const known = yield* sets(numberHolders, texts)
  const may = yield* each(
    numbers.map(({ organization_id, phone_number }, nth) => {
      const holders = (known[nth] ?? []).filter((holder) => holder !== organization_id)
      return ask(mayRegister, { organization_id, phone_number, holders })
    }),
  )
  const taken = numbers.find((_, nth) => may[nth] !== true)
  if (taken === undefined) return
  const { phone_number_id } = taken
  yield* refuse(
    new StateConflict({ message: `The phone number ${phone_number_id} is not available to this organization here.` }),
  )
}

/** That nobody else has recorded anything in the place of a record of the piece. */
function* trailGoesOn({ lines, organization_id }: ArrivingPiece): Reading<void, StateConflict> {
  const first = lines.find((line) => line.kind === "audit")
  if (first === undefined) return
  const recorded = yield* glance(
    "grows",
    "What stands in a trail stays. Behind its records anybody may go on: the organization is here by then.",
    list(recordsBehind, { organization_id, sequence: first.row.sequence - 1 }),
  )
  if (recorded.length === 0) return
  yield* refuse(
    new StateConflict({
      message: "Something was recorded in the audit trail of the organization while it was imported.",
    }),
  )
}

/** The numbers among lines. */
export const numbersOf = (lines: ReadonlyArray<Line>): ReadonlyArray<PhoneNumber> =>
  lines.flatMap((line) => (line.kind === "phone_number" ? [line.row] : []))

/** What must hold before anything of a piece is written, also beside its rows. */
export const mayArrive = (piece: ArrivingPiece): Reading<unknown, StateConflict> =>
  all(trailGoesOn(piece), available(numbersOf(piece.lines)))

/** The days of the file, where nobody has decided here meanwhile; the organization is null where it comes with the last piece. */
const keeping = (here: Organization | null, retention_days: number | null): ReadonlyArray<RowChange> =>
  retention_days === null || here === null || (here.retention_days ?? null) !== null
    ? []
    : [put("organization", here, { ...here, retention_days })]

/** When to look once all of it is there: who may be dialled, and what was kept for its time. */
const looksAtEnd = ({ organization_id, retention_days }: ArrivingPiece, at: number): ReadonlyArray<WakeupChange> => [
  { set: { kind: "dispatch", subject: organization_id, at } },
  ...(retention_days === null ? [] : [{ set: purgeWakeup(organization_id, at) }]),
]

/**
 * Writes a piece of a file, once. Its rows are new here, and nobody decides by the sets that they are in: the keys of the organization come last. The
 * last piece says that all of it is there, and that from now on what was kept for its time goes.
 */
export const importPiece = step({
  name: "organization.import",
  whole: "A piece has as many phone numbers as lines, and each of them may have several organizations.",
  *reads(piece: ArrivingPiece) {
    const { isLast, nth, organization_id, retention_days, sha256 } = piece
    const [, , here] = yield* all(
      mayArrive(piece),
      raisedTo(importOf(organization_id, sha256), nth, "Nobody has written the piece."),
      each(
        isLast && retention_days !== null
          ? [
              glance(
                "earlier",
                "What somebody has decided here stands; where nobody has, the row is written.",
                row("organization", organization_id),
              ),
            ]
          : [],
      ),
    )
    return here[0] ?? null
  },
  decide(piece, here, { now }) {
    const { isLast, lines, nth, organization_id, retention_days, sha256 } = piece
    const arriving = nth === 0 && isLast ? lines : lines.map(keepingAll)
    const arrivals = arriving.map((line) => arrivalOf(line, now))
    const changes = [joinSet(importOf(organization_id, sha256)), ...arrivals.flatMap((arrival) => arrival.changes)]
    const wakeups = arrivals.flatMap((arrival) => arrival.wakeups)
    const kept = arrivals.flatMap((arrival) => arrival.kept)
    if (!isLast) return write(changes, { kept, wakeups, reply: undefined })
    const resource = { type: "organization", id: organization_id }
    return write([...changes, ...keeping(here, retention_days)], {
      audit: [{ resource, details: { sha256 } }],
      kept,
      wakeups: [...wakeups, ...looksAtEnd(piece, now)],
      reply: undefined,
    })
  },
})
