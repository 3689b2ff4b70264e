import { assert, it } from "@effect/vitest"
import { Portable, Verification } from "@carillon/core"
import { TestWorld } from "@carillon/core/testing"
import { Effect } from "effect"
import { elsewhere, exported, imported, inSmallPieces, lived, type Place, source, summed } from "./Moved.ts"

const { organizationId } = TestWorld

const other = "org_other"

/** Ids, in which there is a digit, and the one agent of the test's own. */
const idPattern = /\b(agt_test\b|[a-z]+_(?=[a-z]*[0-9])[0-9A-Za-z]{8,})/g

/** The id of the same thing where it is another organization's. */
const othersId = (id: string): string => id.replaceAll(idPattern, (found) => found.replace(/_../, "_zz"))

/** What is sealed for its place, signed or registered once does not come along under another name. */
const staying = new Set(["audit", "phone_number", "inbound_agent", "provider", "subscription", "api_key"])

interface FileLine {
  readonly kind: string
  readonly row: Readonly<Record<string, unknown>>
}

const parsed = (line: string): FileLine => JSON.parse(line)

/** The file of an organization that has lived the same under other ids. */
const ofOther = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  summed(
    lines
      .filter((line) => !staying.has(parsed(line).kind))
      .map((line) =>
        othersId(line)
          .replaceAll(organizationId, other)
          .replace(/"webhook_secret":"[^"]*"/, '"webhook_secret":null'),
      ),
  )

/** Everything of the other organization, and what does not fit together there. */
const seenOfOther = Effect.fnUntraced(function* ({ world }: Place) {
  const lines: Array<string> = []
  const write = (text: string) => Effect.sync(() => void lines.push(text))
  yield* world.run(Effect.flatMap(Portable, (portable) => portable.export(other, write)))
  const { faults } = yield* world.run(Effect.flatMap(Verification, ({ verify }) => verify(other)))
  const rows = lines.slice(1, -1).filter((line) => parsed(line).kind !== "audit")
  return JSON.stringify({ rows, faults })
})

/** Each field of each kind of line that holds the id of something that the other organization has, too, with that id instead. */
const forgeries = (lines: ReadonlyArray<string>) => {
  const theirs = new Set(lines.flatMap((line) => othersId(line).match(idPattern) ?? []))
  const found = new Map<string, ReadonlyArray<string>>()
  for (const [at, line] of lines.entries()) {
    if (at === 0 || at === lines.length - 1) continue
    const { kind, row } = parsed(line)
    for (const [field, value] of Object.entries(row)) {
      const place = `${kind}.${field}`
      const text = JSON.stringify(value)
      const forged = othersId(text)
      if (found.has(place) || forged === text || !(text.match(idPattern) ?? []).some((id) => theirs.has(othersId(id))))
        continue
      const instead = `${JSON.stringify({ kind, row: { ...row, [field]: JSON.parse(forged) } })}\n`
      found.set(place, summed(lines.with(at, instead)))
    }
  }
  return found
}

/** What is written to by whoever names it. */
const written = new Set(["batch_id", "campaign_id", "contact_id", "retrieval_id", "subject"])

it.effect("a file writes nothing of another organization, whatever it names", () =>
  Effect.gen(function* () {
    const from = yield* source
    yield* lived(from)
    const { lines } = yield* exported(from)
    const forged = forgeries(lines)
    assert.isAbove(forged.size, 40)
    for (const [place, file] of forged) {
      const to = yield* elsewhere()
      to.world.now = from.world.now
      yield* imported(to, ofOther(lines))
      const before = yield* seenOfOther(to)
      const exit = yield* Effect.exit(imported(to, inSmallPieces(file, 5)))
      assert.strictEqual(yield* seenOfOther(to), before, place)
      if (!written.has(place.replace(/.*\./, ""))) continue
      assert.include(JSON.stringify(exit), "that belongs to another organization", place)
      assert.isFalse(to.world.tables.organizations.has(organizationId), place)
    }
  }),
)

it.effect("a file is refused that says of no row whose it is, keeps rows for no time, or makes commits too large", () =>
  Effect.gen(function* () {
    const from = yield* source
    yield* lived(from)
    const { lines } = yield* exported(from)
    const [header = "", ...rest] = lines
    const changed = (kind: string, fields: object) =>
      rest.map((line) => {
        const value = parsed(line)
        return value.kind === kind ? `${JSON.stringify({ ...value, row: { ...value.row, ...fields } })}\n` : line
      })
    const headed = (piece: object) => `${JSON.stringify({ ...JSON.parse(header), piece })}\n`
    for (const [reason, file] of [
      ["another organization", [header, ...changed("batch", { organization_id: undefined })]],
      ["retention_days", [header, ...changed("organization", { retention_days: -1 })]],
      ["retention_days", [header, ...changed("organization", { retention_days: 1.5 })]],
      ["no organization's export", [headed({ lines: 1e6, characters: 1_000 }), ...rest]],
      ["no organization's export", [headed({ lines: 10, characters: 1e9 }), ...rest]],
    ] as const) {
      const to = yield* elsewhere()
      const failure = yield* Effect.flip(imported(to, summed(file)))
      assert.include(JSON.stringify(failure), reason)
      assert.strictEqual(to.world.tables.organizations.size, 0)
    }
  }),
)
