import { knownAgent, noSuchAgent } from "../../agents/steps/AgentReads.ts"
import { all, ask, each, type Reading, refuse } from "../../engine/steps/Reading.ts"
import type { Question } from "../../engine/steps/SetDescription.ts"
import { InvalidField, MissingField, type NotFound } from "../../Errors.ts"
import { callerIds } from "../../numbers/steps/CallerIds.ts"
import type { PhoneNumber } from "../../numbers/rules/PhoneNumber.ts"
import type { TransliterationSettings } from "../../transliteration/rules/Transliteration.ts"
import type { TransliterationLanguages } from "../../transliteration/ports/Transliterator.ts"
import type { CampaignSettings } from "../rules/Campaign.ts"
import type { CampaignBody } from "../rules/CampaignSettings.ts"

/** Agents that settings name must be the organization's. */
export function* knownAgents(organizationId: string, agentIds: ReadonlyArray<string>) {
  const agents = yield* each(agentIds.map((agentId) => knownAgent(organizationId, agentId)))
  if (agents.includes(null)) yield* refuse(noSuchAgent)
}

const unknownLanguage: Question<TransliterationLanguages, keyof TransliterationLanguages | null> = {
  about: "the transliterator, which language it does not know",
  ask: ({ transliterator }, languages) => transliterator.unknown(languages),
}

/** A transliteration that is on needs a language to write in, and both languages must be known to the transliterator. */
function* languages({
  enabled,
  source_language_code,
  target_language_code,
}: TransliterationSettings): Reading<void, InvalidField | MissingField> {
  if (target_language_code === null) {
    if (enabled) yield* refuse(new MissingField({ field: "transliteration.target_language_code" }))
    return
  }
  const unknown = yield* ask(unknownLanguage, { target_language_code, source_language_code })
  if (unknown === null) return
  const field = `transliteration.${unknown}`
  yield* refuse(new InvalidField({ field, reason: "is not a language that names can be transliterated with" }))
}

/** The numbers to call from, as far as a body has named them anew. */
export const callerIdsIn = (organizationId: string, settings: CampaignSettings, body: CampaignBody) =>
  callerIds(organizationId, body.phone_numbers === undefined ? [] : (settings.phone_numbers ?? []))

/** Checks what settings name, as far as a body has named it anew. Returns the numbers to call from. */
export function* referencesIn(
  organizationId: string,
  settings: CampaignSettings,
  body: CampaignBody,
): Reading<ReadonlyArray<PhoneNumber>, NotFound | InvalidField | MissingField> {
  const followUpAgent = settings.follow_up_policy.follow_up_agent_id
  const agents = [
    ...(body.agent_id === undefined ? [] : [settings.agent_id]),
    ...(typeof body.follow_up_policy?.follow_up_agent_id === "string" && followUpAgent !== null ? [followUpAgent] : []),
  ]
  const [, numbers] = yield* all(knownAgents(organizationId, agents), callerIdsIn(organizationId, settings, body))
  if (body.transliteration !== undefined) yield* languages(settings.transliteration)
  return numbers
}
