import { sha256 } from "@noble/hashes/sha2.js"
import { Effect } from "effect"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import type { ContactRow } from "../contacts/rules/PlacedContact.ts"
import { hexText } from "../engine/rules/FlatText.ts"
import { transientUtf8 } from "../engine/rules/Utf8Bytes.ts"
import { walkOldest } from "../engine/Walk.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { DeliveryStore } from "../webhooks/ports/DeliveryStore.ts"
import type { Line } from "./rules/PortableFile.ts"

/** How many rows there were, and at which revisions, in their order. */
class Rows {
  readonly #hash = sha256.create()
  #count = 0

  add(id: string, revision: number): void {
    this.#count += 1
    this.#hash.update(transientUtf8(`${id} ${revision}\n`))
  }

  get sum(): string {
    return `${this.#count} ${hexText(this.#hash.clone().digest())}`
  }
}

/** The rows that are written without a word in the trail: by what carriers tell, and what follows from it. */
export class StandingRows {
  readonly #contacts = new Rows()
  readonly #calls = new Rows()
  readonly #deliveries = new Rows()

  add(line: Line): void {
    if (line.kind === "contact") this.#contacts.add(line.row.contact_id, line.row.revision)
    // Lists do not show a record that was folded into another; what is told of it is written to that.
    if (line.kind === "call" && line.row.folded_into === null) {
      this.#calls.add(line.row.execution_id, line.row.revision)
    }
    if (line.kind === "delivery") this.#deliveries.add(line.row.delivery_id, line.row.revision)
  }

  get sum(): string {
    return [this.#contacts, this.#calls, this.#deliveries].map(({ sum }) => sum).join(" ")
  }
}

/** Walks through such rows of an organization as they stand, in the order of an export. */
export const makeStandingRows = Effect.gen(function* () {
  const batches = yield* BatchStore
  const calls = yield* CallStore
  const contacts = yield* ContactStore
  const deliveries = yield* DeliveryStore
  const limit = limits.portableRows

  return Effect.fnUntraced(function* (organizationId: string, now: number): Effect.fn.Return<StandingRows, PortError> {
    const rows = new StandingRows()
    const ofBatch = Effect.fnUntraced(function* (batch_id: string, total: number) {
      for (let row = 0; row < total;) {
        const places: ReadonlyArray<ContactRow> = yield* contacts.rows(batch_id, row, limit)
        for (const { contact } of places) if (contact !== null) rows.add({ kind: "contact", row: contact })
        row = (places.at(-1)?.row ?? total) + 1
      }
    })
    yield* walkOldest(
      (request) => batches.oldest(organizationId, request),
      limit,
      ({ batch_id, total_contacts }) => ofBatch(batch_id, total_contacts),
    )
    yield* walkOldest(
      (request) => calls.oldest(organizationId, request),
      limit,
      (row) => Effect.sync(() => rows.add({ kind: "call", row })),
    )
    yield* walkOldest(
      (request) => deliveries.oldest(organizationId, request),
      limit,
      (row) => Effect.sync(() => (row.expires_at > now ? rows.add({ kind: "delivery", row }) : undefined)),
    )
    return rows
  })
})
