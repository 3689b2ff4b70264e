import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { dial, readCall } from "../../trial/Calls.ts"
import { deliveredByMs, freshInbox, subscribe } from "../../trial/Webhooks.ts"

/** A field of the payload, its clause, and what it may be where it is not null. */
type Field = readonly [name: string, clause: string, expected: string, holds: (value: unknown) => boolean]

const isText = (value: unknown): value is string => typeof value === "string"
const isWhole = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0
const isAmount = (value: unknown): boolean => typeof value === "number" && value >= 0
const isMoment = (value: unknown): boolean => isText(value) && !Number.isNaN(Date.parse(value))
const isNumber = (value: unknown): boolean => isText(value) && /^\+[0-9]{7,15}$/.test(value)
const oneOf =
  (...values: ReadonlyArray<string>) =>
  (value: unknown): boolean =>
    values.some((each) => each === value)

const transcripts = ["available", "unavailable", "truncated"]
const analyses = ["completed", "partial", "pending", "unavailable"]
const ownAnalyses = ["completed", "partial", "pending", "not_configured"]

const fields: ReadonlyArray<Field> = [
  ["version", "PAYLOAD-4", "a text", isText],
  ["timestamp", "PAYLOAD-5", "a moment", isMoment],
  ["call_sid", "PAYLOAD-7", "a text", isText],
  ["sub_status", "PAYLOAD-11", "a text", isText],
  ["to_number", "PAYLOAD-15", "E.164", isNumber],
  ["from_number", "PAYLOAD-15", "E.164", isNumber],
  ["call_cost_currency", "PAYLOAD-20", "USD", (value) => value === "USD"],
  ["agent_message_count", "PAYLOAD-23", "a count", isWhole],
  ["user_message_count", "PAYLOAD-23", "a count", isWhole],
  ["overall_latency_seconds", "PAYLOAD-24", "seconds", isAmount],
  ["first_utterance_seconds", "PAYLOAD-24", "seconds", isAmount],
  ["transcript", "PAYLOAD-25", "a list", Array.isArray],
  ["transcript_status", "PAYLOAD-26", transcripts.join(" or "), oneOf(...transcripts)],
  ["recording_duration", "PAYLOAD-28", "seconds", isAmount],
  ["platform_analysis_status", "PAYLOAD-34", analyses.join(" or "), oneOf(...analyses)],
  ["client_analysis", "PAYLOAD-35", "an object", isObject],
  ["client_analysis_status", "PAYLOAD-36", ownAnalyses.join(" or "), oneOf(...ownAnalyses)],
  ["tool_call_logs", "PAYLOAD-37", "a list", Array.isArray],
  ["answered_by_voice_mail", "PAYLOAD-38", "true or false", (value) => typeof value === "boolean"],
  ["hangup_by", "PAYLOAD-39", "agent or customer", oneOf("agent", "customer")],
]

/** How a field may come: every one but the required is nullable, and none is left out. */
const fits = (value: unknown, holds: (value: unknown) => boolean): boolean => value === null || holds(value)

const shapes: Case = {
  id: "webhooks/payload/fields",
  title: "Every field of the payload is there in its form, and agrees with the call, for any ending",
  clauses: [...new Set(fields.map(([, clause]) => clause)), "PAYLOAD-14", "VERSION-3", "EVENT-TYPE-1", "DELIVERY-2"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client, {
      analytics: { custom: [{ name: "mood", prompt: "How did they feel?", required_keys: ["mood"] }] },
    })
    const inbox = freshInbox(trial)
    await subscribe(trial, client, inbox, { agent_id: agentId })
    for (const outcome of ["completed", "voicemail", "busy"] as const) {
      const variables = { color: `blue-${outcome}` }
      const to_number = trial.numbers.magic(outcome, 2)
      const id = await dial(trial, client, agentId, to_number, { variables })
      await trial.clock.advance(deliveredByMs)
      const payloads = (await inbox.received()).map(({ payload }) => payload).filter(({ call_id }) => call_id === id)
      check.equal(`${outcome}-sent-once`, "DELIVERY-2", payloads.length, 1)
      const payload = payloads[0] ?? {}
      const call = await readCall(client, id, { include_transcript: true })
      check.equal(`${outcome}-ended`, "DELIVERY-2", call.at("is_terminal"), true, call)
      check.equal(`${outcome}-type`, "EVENT-TYPE-1", payload["event_type"], "all_processing_completed", call)
      for (const [name, clause, expected, holds] of fields) {
        const value = payload[name]
        check.that(`${outcome}-${name}`, clause, fits(value, holds), {
          expected: `${expected}, or null`,
          got: value,
          at: call,
        })
      }
      check.equal(
        `${outcome}-variables`,
        "PAYLOAD-14",
        Object(payload["custom_args_values"])["color"],
        variables.color,
        call,
      )
      check.equal(`${outcome}-number`, "PAYLOAD-15", payload["to_number"], to_number, call)
      check.holds(
        `${outcome}-version-given`,
        "VERSION-3",
        isText(payload["version"]) && payload["version"] !== "",
        "a version",
        call,
      )
      const machine = payload["answered_by_voice_mail"]
      check.that(`${outcome}-machine`, "PAYLOAD-38", machine === null || machine === (outcome === "voicemail"), {
        expected: outcome === "voicemail",
        got: machine,
        at: call,
      })
    }
    const completed = (await inbox.received())[0]?.payload ?? {}
    const turns = Array.isArray(completed["transcript"]) ? completed["transcript"].length : undefined
    const call = await readCall(client, String(completed["call_id"]), { include_transcript: true })
    const spoken = call.at("transcript")
    if (Array.isArray(spoken)) check.equal("one-entry-per-turn", "PAYLOAD-25", turns, spoken.length, call)
    check.equal("transcript-available", "PAYLOAD-26", completed["transcript_status"], "available", call)
    check.equal("analysed", "PAYLOAD-36", completed["client_analysis_status"] !== "not_configured", true, call)
  },
}

/** Cases of the form of the payload. */
export const payloadFieldCases: ReadonlyArray<Case> = [shapes]
