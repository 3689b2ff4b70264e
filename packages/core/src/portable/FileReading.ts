import { Effect, Result, Stream } from "effect"
import { InvalidField } from "../Errors.ts"
import { limits } from "../Limits.ts"
import {
  type Line,
  type LineKind,
  lineKinds,
  LineSum,
  portableFormat,
  type PortableHeader,
  type PortableTail,
} from "./rules/PortableFile.ts"

/** Some lines of a file, which are written together. */
export interface Piece {
  readonly header: PortableHeader
  /** From 0. */
  readonly nth: number
  readonly lines: ReadonlyArray<Line>
  /** What the file says at its end, which holds; null before its last piece. */
  readonly tail: PortableTail | null
}

const refused = (reason: string): InvalidField => new InvalidField({ field: "file", reason })

const cutOff = refused("is cut off: its last line is missing")

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** Commits of a file may be so many times as large as this release would make them. */
const largerMax = 4

const isCountTo = (value: unknown, max: number): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value <= max

/** A file of this format was written by an export, whose sum the last line tells; nothing else writes it. */
const isHeader = (value: unknown): value is PortableHeader =>
  field(value, "carillon") === "organization" &&
  field(value, "format") === portableFormat &&
  typeof field(value, "organization_id") === "string" &&
  isCountTo(field(field(value, "piece"), "lines"), largerMax * limits.portablePiece.lines) &&
  isCountTo(field(field(value, "piece"), "characters"), largerMax * limits.portablePiece.characters)

const isTail = (value: unknown): value is PortableTail =>
  field(value, "end") === true && typeof field(value, "sha256") === "string"

const isLine = (value: unknown): value is Line => {
  const [kind, row] = [field(value, "kind"), field(value, "row")]
  return typeof kind === "string" && lineKinds.has(kind) && typeof row === "object" && row !== null
}

/** What lies beside the rows, and says of which batch, campaign or knowledge base it is, but not whose that is. */
const unowned: ReadonlySet<string> = new Set<LineKind>(["document", "entries", "tally"])

const isOthers = ({ kind, row }: Line, organizationId: string): boolean =>
  !unowned.has(kind) && field(row, "organization_id") !== organizationId

/** A file as it is read, line by line. */
class FileReading {
  readonly #sum = new LineSum()
  #header: PortableHeader | null = null
  #lines: Array<Line> = []
  #characters = 0
  #nth = 0
  #isOver = false

  /** The piece that ends before this line, or null. */
  take(text: string): Result.Result<Piece | null, InvalidField> {
    if (this.#isOver) return Result.fail(refused("has lines after its last one"))
    const value = parsed(text)
    if (this.#header === null) return this.#begin(text, value)
    if (isTail(value)) return this.#end(this.#header, value)
    if (!isLine(value)) return Result.fail(refused("has a line that is not of this format"))
    if (isOthers(value, this.#header.organization_id)) {
      return Result.fail(refused("has a row of another organization"))
    }
    const { characters, lines } = this.#header.piece
    const isFull = this.#lines.length >= lines || this.#characters >= characters
    // A campaign that goes on is written twice, and no commit writes a row twice.
    const isAnew = value.kind === "running" && this.#lines.at(-1)?.kind !== "running"
    const piece = isFull || isAnew ? this.#cut(this.#header, null) : null
    this.#sum.add(text)
    this.#sum.count(value.kind)
    this.#lines.push(value)
    this.#characters += text.length
    return Result.succeed(piece)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  #begin(text: string, value: unknown): Result.Result<null, InvalidField> {
    if (!isHeader(value)) {
      return Result.fail(refused(`is no organization's export in format ${portableFormat}`))
    }
    this.#header = value
    this.#sum.add(text)
    return Result.succeed(null)
  }

  #end(header: PortableHeader, tail: PortableTail): Result.Result<Piece, InvalidField> {
    this.#isOver = true
    if (tail.sha256 !== this.#sum.tail.sha256) return Result.fail(refused("is not as it was written"))
    return Result.succeed(this.#cut(header, tail))
  }

  #cut(header: PortableHeader, tail: PortableTail | null): Piece {
    const piece = { header, nth: this.#nth, lines: this.#lines, tail }
    this.#nth += 1
    this.#lines = []
    this.#characters = 0
    return piece
  }
}

/** Visits the pieces of a file in their order, one in memory at a time; the last one only where the whole file is as it was written. */
export const eachPiece = <E, E2>(
  bytes: Stream.Stream<Uint8Array, E>,
  visit: (piece: Piece) => Effect.Effect<void, E2>,
): Effect.Effect<void, E | E2 | InvalidField> =>
  Effect.suspend(() => {
    const reading = new FileReading()
    const lines = Stream.splitLines(Stream.decodeText(bytes))
    const read = Stream.runForEach(lines, (text) =>
      Effect.flatMap(Effect.fromResult(reading.take(text)), (piece) => (piece === null ? Effect.void : visit(piece))),
    )
    return Effect.andThen(
      read,
      Effect.suspend(() => (reading.isOver ? Effect.void : Effect.fail(cutOff))),
    )
  })
