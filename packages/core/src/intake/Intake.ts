import { Cause, Context, Effect, Layer } from "effect"
import type { Batch } from "../batches/rules/Batch.ts"
import { Callees } from "../callees/Callees.ts"
import type { ContactEntry } from "../contacts/rules/Contact.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { Pieces } from "../engine/Pieces.ts"
import { Steps } from "../engine/Steps.ts"
import { makeTriedLater } from "../engine/TriedLater.ts"
import { DependencyTimeout, InvalidField, type PortError } from "../Errors.ts"
import type { Json } from "../Json.ts"
import { limits } from "../Limits.ts"
import { jsonText } from "../Measure.ts"
import { quotable } from "../phone/E164.ts"
import type { TransliterationSettings } from "../transliteration/rules/Transliteration.ts"
import { Transliterator } from "../transliteration/ports/Transliterator.ts"
import type { ContactIntake } from "./rules/ContactIntake.ts"
import { giveUpContacts } from "./steps/GiveUpContacts.ts"
import { IntakeSize, type SizeFault, sizeReasons } from "./rules/IntakeSize.ts"
import { byPriority } from "./ContactPriorities.ts"
import { type AskedOfContacts, refuseWrongZones } from "./ContactZones.ts"

interface IntakeShape {
  /**
   * Stores the contacts of a batch, transliterated as its campaign says, in pieces between which others run, and then makes the batch
   * visible by `show`. Refuses contacts with a variable that stands where the original of another is to be kept, and those whose own zone
   * is none, where callee hours stand for their calls, or whose priority is none, where their campaign goes by it. Whatever keeps it from being shown leaves nothing behind; what the end of the process leaves is swept later.
   */
  readonly take: <A, E>(
    batch: Pick<Batch, "batch_id" | "organization_id"> & AskedOfContacts,
    intake: ContactIntake,
    transliteration: TransliterationSettings | null,
    show: Effect.Effect<A, E>,
  ) => Effect.Effect<A, E | InvalidField | PortError>
  /** Removes the contacts of a batch that was never shown. */
  readonly sweep: (batchId: string) => Effect.Effect<void, PortError>
}

/** What is left of a batch that was not shown. */
interface Leftovers {
  /** In whose turn they go, where that is tried again. */
  readonly organization_id: string
  readonly batchId: string
  /** Whether it was refused for certain. */
  readonly isRefused: boolean
}

/** A batch that was never shown belongs to nobody. */
const nobody = "platform"

/** Under which name the original of a field is kept. */
const originalOf = (field: string): string => `${field}_original`

const isText = (value: Json | undefined): value is string => typeof value === "string" && value !== ""

/** The first entry that has a variable where the original of another is to be kept, and that other; neither may be lost. */
const displaced = (entries: ReadonlyArray<ContactEntry>, fields: ReadonlySet<string>) => {
  for (const [index, { variables }] of entries.entries()) {
    for (const [field, value] of Object.entries(variables)) {
      const isMoved = fields.has(field) && isText(value)
      if (isMoved && Object.hasOwn(variables, originalOf(field))) return { index, field }
    }
  }
  return null
}

/** At which place a contact came that is stored at another. */
const placeOf = ({ places }: ContactIntake, row: number): number => places?.[row] ?? row

const displacedError = (intake: ContactIntake, row: number, field: string): InvalidField => {
  const [kept, name] = [quotable(originalOf(field)), quotable(field)]
  const reason = `stands where transliteration.keep_original puts the original of '${name}'`
  return intake.file_name === null
    ? new InvalidField({ field: `contacts[${placeOf(intake, row)}].${kept}`, reason })
    : new InvalidField({ field: "file", reason: `has a column '${kept}', which ${reason}` })
}

/** Contacts take more in another script, and the more with their originals: they are bounded as they are stored, too. */
const outgrownError = (intake: ContactIntake, row: number, fault: SizeFault): InvalidField => {
  const { file_name, lines } = intake
  const place = placeOf(intake, row)
  const reason = `${sizeReasons[fault]}, its transliteration included`
  if (file_name !== null) {
    const line = fault === "contact" ? `the contact of line ${lines?.[place]} ` : ""
    return new InvalidField({ field: "file", reason: `${line}${reason}` })
  }
  return new InvalidField({ field: fault === "contact" ? `contacts[${place}]` : "contacts", reason })
}

/** The texts to be rewritten. Contacts have few variables and settings may name thousands of fields, so it is the variables that are gone through. */
const texts = (entries: ReadonlyArray<ContactEntry>, fields: ReadonlySet<string>): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const { variables } of entries) {
    for (const [field, value] of Object.entries(variables)) {
      if (fields.has(field) && isText(value)) found.add(value)
    }
  }
  return [...found]
}

/** The first entry that is too large as it is written, alone or with those before it. */
const outgrownOf = (size: IntakeSize, written: ReadonlyArray<ContactEntry>) => {
  for (const [index, entry] of written.entries()) {
    const fault = size.add(entry, 0)
    if (fault !== null) return { index, fault }
  }
  return null
}

/** The entry with its fields in the other script, the originals beside them where they are kept. What mirrors a field goes with it. */
const rewritten = (
  entry: ContactEntry,
  fields: ReadonlySet<string>,
  { keepOriginal, mirrorsName }: { readonly keepOriginal: boolean; readonly mirrorsName: boolean },
  forms: ReadonlyMap<string, string>,
): ContactEntry => {
  const mirror = mirrorsName && fields.has("name") ? "callee_name" : null
  const written: Array<readonly [string, Json]> = []
  for (const [name, value] of Object.entries(entry.variables)) {
    const isRewritten = fields.has(name) || name === mirror
    const form = typeof value === "string" && isRewritten ? forms.get(value) : undefined
    written.push([name, form ?? value])
    if (form !== undefined && keepOriginal && fields.has(name)) written.push([originalOf(name), value])
  }
  return { ...entry, variables: Object.fromEntries(written) }
}

/** The contacts that are stored in one piece from a row on: so many, and fewer where they are large, because they are rewritten and written as one. */
const chunkFrom = (entries: ReadonlyArray<ContactEntry>, row: number): ReadonlyArray<ContactEntry> => {
  const last = Math.min(entries.length, row + limits.intakeChunk)
  let characters = 0
  let end = row
  for (; end < last && characters < limits.intakeTurnCharacters; end++) {
    characters += jsonText(entries[end]?.variables).length
  }
  return entries.slice(row, end)
}

/** Takes contacts into the store. */
export class Intake extends Context.Service<Intake, IntakeShape>()("@carillon/core/intake/Intake") {
  static readonly layer = Layer.effect(
    Intake,
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const callees = yield* Callees
      const clock = yield* DomainClock
      const transliterator = yield* Transliterator
      const wakeups = yield* Wakeups
      const steps = yield* Steps
      const pieces = yield* Pieces

      const transliterated = Effect.fnUntraced(function* (
        entries: ReadonlyArray<ContactEntry>,
        settings: TransliterationSettings | null,
        mirrorsName: boolean,
      ) {
        if (settings === null || !settings.enabled || settings.target_language_code === null) return entries
        const fields = new Set(settings.fields)
        const originals = texts(entries, fields)
        if (originals.length === 0) return entries
        const forms = yield* transliterator.transliterate({
          texts: originals,
          target_language_code: settings.target_language_code,
          source_language_code: settings.source_language_code,
        })
        const byOriginal = new Map(originals.map((text, index) => [text, forms[index] ?? text]))
        const how = { keepOriginal: settings.keep_original, mirrorsName }
        return entries.map((entry) => rewritten(entry, fields, how, byOriginal))
      })

      /** A batch that was shown all the same, though the answer was lost, or is shown only now, keeps its contacts. */
      const discard = ({ batchId, isRefused }: Omit<Leftovers, "organization_id">) =>
        steps.take(giveUpContacts, { organization_id: nobody, batch_id: batchId, isRefused })

      const isCertain = (cause: Cause.Cause<unknown>): boolean =>
        cause.reasons.every((reason) => Cause.isFailReason(reason) && !(reason.error instanceof DependencyTimeout))

      /** While the store cannot even be asked, it is this process that keeps the leftovers in mind. */
      const later = yield* makeTriedLater(
        "intake:leftovers",
        { name: ({ batchId }: Leftovers) => batchId, organization: (leftovers) => leftovers.organization_id },
        discard,
      )

      return Intake.of({
        take: ({ batch_id: batchId, organization_id, ...asked }, sent, transliteration, show) =>
          Effect.gen(function* () {
            yield* refuseWrongZones(sent, (yield* callees.sureHours(organization_id)).setting, asked)
            const intake = yield* byPriority(sent, asked)
            const entries = intake.contacts
            const moved = new Set(
              transliteration?.enabled && transliteration.keep_original ? transliteration.fields : [],
            )
            // Only somebody who knows of the batch can find what the end of this process leaves of it. Nothing else rests on it.
            const sweptAt = clock.now() + limits.intakeSweepMs
            yield* Effect.ignore(wakeups.set({ kind: "intake", subject: batchId, at: sweptAt, organization_id }))
            const size = new IntakeSize()
            for (let row = 0; row < entries.length;) {
              const chunk = chunkFrom(entries, row)
              const found = moved.size === 0 ? null : displaced(chunk, moved)
              if (found !== null) return yield* displacedError(intake, row + found.index, found.field)
              const written = yield* transliterated(chunk, transliteration, intake.mirrorsName === true)
              if (written !== chunk) {
                const outgrown = outgrownOf(size, written)
                if (outgrown !== null) return yield* outgrownError(intake, row + outgrown.index, outgrown.fault)
              }
              yield* pieces.piece(organization_id, contacts.fill(batchId, row, written))
              row += chunk.length
              yield* nextTurn
            }
            return yield* show
          }).pipe(
            Effect.onError((cause) => {
              const leftovers = { organization_id, batchId, isRefused: isCertain(cause) }
              return Effect.catch(discard(leftovers), () => later(leftovers))
            }),
          ),
        sweep: (batchId) => discard({ batchId, isRefused: false }),
      })
    }),
  )
}
