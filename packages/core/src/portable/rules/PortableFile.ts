import { sha256 } from "@noble/hashes/sha2.js"
import type { AuditRecord } from "../../audit/rules/AuditChain.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import type { ContactEntry } from "../../contacts/rules/Contact.ts"
import { hexText } from "../../engine/rules/FlatText.ts"
import { transientUtf8 } from "../../engine/rules/Utf8Bytes.ts"
import type { Chunk } from "../../knowledge/rules/Chunk.ts"
import { type RowKind, rowKinds, type Rows } from "../../Rows.ts"
import type { Tally } from "../../tallies/rules/Tally.ts"
import type { UsageDelta } from "../../usage/rules/Usage.ts"

/** The format that this release writes, and the only one that it reads. It stays where a kind of line is added: a release that does not know it refuses the file. */
export const portableFormat = 1

/** The settings of the installation stay where they are. */
export type CarriedKind = Exclude<RowKind, "platform">

/** Contacts of a batch as they were handed in, from a row on. */
export interface CarriedEntries {
  readonly batch_id: string
  readonly from_row: number
  readonly entries: ReadonlyArray<ContactEntry>
}

/** What an upload into a knowledge base is found by. */
export interface CarriedDocument {
  readonly retrieval_id: string
  readonly document_id: string
  readonly chunks: ReadonlyArray<Chunk>
}

/** What is counted of a campaign, or a batch for itself, and follows from no row. */
export interface CarriedTally {
  readonly subject: string
  readonly figures: Tally
}

/** What a line holds, by its kind: a row as it stands, or what is kept beside the rows. */
type Contents = { readonly [K in CarriedKind]: Rows[K] } & {
  readonly audit: AuditRecord
  readonly entries: CarriedEntries
  readonly document: CarriedDocument
  readonly tally: CarriedTally
  /** What calls that are gone have added to usage. */
  readonly usage: UsageDelta
  /** A campaign that goes on, as it stands once all of its batches are there. */
  readonly running: Campaign
}

export type LineKind = keyof Contents

/** One line between the first and the last. */
export type Line = { readonly [K in LineKind]: { readonly kind: K; readonly row: Contents[K] } }[LineKind]

export const lineKinds: ReadonlySet<string> = new Set([
  ...rowKinds.filter((kind) => kind !== "platform"),
  "audit",
  "entries",
  "document",
  "tally",
  "usage",
  "running",
])

/** How many lines, and how many characters, become one commit. It stands in the file, so that whoever goes on cuts it as it was cut. */
export interface PieceBounds {
  readonly lines: number
  readonly characters: number
}

/** The first line. */
export interface PortableHeader {
  readonly carillon: "organization"
  readonly format: typeof portableFormat
  readonly organization_id: string
  readonly name: string
  /** What its exporter calls the release that wrote it. */
  readonly release: string | null
  readonly exported_at: string
  readonly piece: PieceBounds
}

/** The last line: how many lines there are of each kind, and the SHA-256 of all lines before it. */
export interface PortableTail {
  readonly end: true
  readonly counts: LineCounts
  readonly sha256: string
}

export type LineCounts = { readonly [K in LineKind]?: number }

/** What is known of the lines so far. */
export class LineSum {
  readonly #hash = sha256.create()
  readonly #counts = new Map<LineKind, number>()

  /** One more line, without its end. */
  add(text: string): void {
    this.#hash.update(transientUtf8(text))
    this.#hash.update(transientUtf8("\n"))
  }

  count(kind: LineKind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
  }

  get tail(): PortableTail {
    return { end: true, counts: Object.fromEntries(this.#counts), sha256: hexText(this.#hash.clone().digest()) }
  }
}
