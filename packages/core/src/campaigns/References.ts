import { Context, Effect, Layer } from "effect"
import { AgentStore } from "../agents/AgentStore.ts"
import { Activity } from "../engine/Activity.ts"
import { type CommitDraft, joined } from "../engine/Commit.ts"
import { InvalidField, MissingField, NotFound, type PortError } from "../Errors.ts"
import { namedAsCallerId } from "../numbers/CallerIds.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import type { TransliterationSettings } from "../transliteration/Transliteration.ts"
import { Transliterator } from "../transliteration/Transliterator.ts"

interface ReferencesShape {
  readonly agent: (organizationId: string, agentId: string) => Effect.Effect<void, NotFound | PortError>
  /**
   * Every number must be registered to the organization; the first that is not is named by its place. Returns the part of a commit by
   * which they are named as caller IDs.
   */
  readonly numbers: (
    organizationId: string,
    numbers: ReadonlyArray<string>,
  ) => Effect.Effect<Partial<CommitDraft>, InvalidField | PortError>
  /** The part of a commit by which what has ended goes on: those of its numbers that are still registered are named again. */
  readonly namedAgain: (
    organizationId: string,
    numbers: ReadonlyArray<string>,
  ) => Effect.Effect<Partial<CommitDraft>, PortError>
  /** A transliteration that is on needs a language to write in, and both languages must be known to the transliterator. */
  readonly languages: (
    transliteration: TransliterationSettings,
  ) => Effect.Effect<void, InvalidField | MissingField | PortError>
  /** The organization's numbers, in the order of registration. */
  readonly registered: (organizationId: string) => Effect.Effect<ReadonlyArray<string>, PortError>
}

/** Checks that what a campaign or batch names exists in its organization. */
export class References extends Context.Service<References, ReferencesShape>()("@carillon/core/campaigns/References") {
  static readonly layer = Layer.effect(
    References,
    Effect.gen(function* () {
      const agents = yield* AgentStore
      const accounts = yield* AccountStore
      const activity = yield* Activity
      const transliterator = yield* Transliterator
      return References.of({
        agent: Effect.fnUntraced(function* (organizationId, agentId) {
          const agent = yield* agents.find(organizationId, agentId)
          if (agent === null) return yield* new NotFound({ message: "Agent not found." })
        }),
        numbers: Effect.fnUntraced(function* (organizationId, numbers) {
          const different = [...new Set(numbers)]
          // All of them are asked for at the same time: there may be thousands.
          const found = yield* activity.together(different.map((text) => accounts.number(organizationId, text)))
          const missing = different.find((_, nth) => found[nth] === null)
          if (missing !== undefined) {
            const reason = "must be a number registered to this organization"
            return yield* new InvalidField({ field: `phone_numbers[${numbers.indexOf(missing)}]`, reason })
          }
          const named = found.flatMap((number) => (number === null ? [] : [namedAsCallerId(number)]))
          return joined({ organization_id: organizationId }, ...named)
        }),
        namedAgain: Effect.fnUntraced(function* (organizationId, numbers) {
          const named = new Set(numbers)
          if (named.size === 0) return {}
          const registered = yield* accounts.numbers(organizationId)
          const still = registered.filter(({ phone_number }) => named.has(phone_number))
          return joined({ organization_id: organizationId }, ...still.map(namedAsCallerId))
        }),
        languages: Effect.fnUntraced(function* ({ enabled, source_language_code, target_language_code }) {
          if (target_language_code === null) {
            return enabled ? yield* new MissingField({ field: "transliteration.target_language_code" }) : undefined
          }
          const unknown = yield* transliterator.unknown({ target_language_code, source_language_code })
          if (unknown === null) return
          const field = `transliteration.${unknown}`
          return yield* new InvalidField({ field, reason: "is not a language that names can be transliterated with" })
        }),
        registered: (organizationId) =>
          Effect.map(accounts.numbers(organizationId), (numbers) => numbers.map(({ phone_number }) => phone_number)),
      })
    }),
  )
}
