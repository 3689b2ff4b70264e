import type { DialCommand } from "@carillon/core"
import { makeTwilio, type TwilioOptions, type Voice } from "@carillon/twilio"
import { nodeCallbacks } from "@carillon/twilio/node"
import { Config, Redacted } from "effect"
import type { CarrierKind, MakeCarrier } from "./CarrierKind.ts"

/** Who speaks, as it is written in a setting; the host's own endpoint is told whose call it is. */
const voiceOf =
  (text: string) =>
  ({ agent_id, organization_id }: DialCommand): Voice => {
    const colon = text.indexOf(":")
    const [type, rest] = [text.slice(0, colon), text.slice(colon + 1)]
    if (type === "stream" || type === "relay") return { type, url: rest, parameters: { organization_id, agent_id } }
    return type === "say" ? { type, text: rest } : { type: "sip", address: text }
  }

const detectionOf = (choice: "off" | "hang_up" | "go_on"): Pick<TwilioOptions, "machineDetection"> =>
  choice === "off" ? {} : { machineDetection: { onMachine: choice } }

/** Twilio: `@carillon/twilio`. */
export const twilioKind: CarrierKind = {
  type: "twilio",
  declare: (book) =>
    Config.all({
      accountSid: book
        .text("account_sid", "an account's SID, `AC…`", /^AC[0-9a-fA-F]{32}$/, "The account that calls.")
        .needed(),
      authToken: book.secret("auth_token", "a token", /^\S+$/, "Its secret; callbacks are verified with it.").needed(),
      voice: book
        .text(
          "voice",
          "`relay:wss://…`, `stream:wss://…`, `sip:…`, `sips:…` or `say:` and a sentence",
          /^((relay|stream):wss:\/\/[^\s?#]+|sips?:[^\s<>"]+|say:[^\r\n]{1,1000})$/,
          "Who speaks. Your endpoint is told `execution_id`; that of a `relay` or a `stream` also `organization_id` and `agent_id`.",
        )
        .needed(),
      number: book
        .text(
          "number",
          "a number such as `+12125550100`",
          /^\+[1-9]\d{1,14}$/,
          "The number to call from for calls that name none.",
        )
        .orNone(),
      machineDetection: book
        .choice(
          "machine_detection",
          ["off", "hang_up", "go_on"],
          "Whether Twilio listens for machines, and what is done when one answered.",
        )
        .or("off"),
      maxCallSeconds: book
        .whole("max_call_seconds", 1, 86_400, "When Twilio ends a call that goes on. Left out: its own, four hours.")
        .orNone(),
      priceWaitSeconds: book
        .whole("price_wait_seconds", 0, 20, "How long an ended call waits for its price before it gives its line back.")
        .or(20),
      baseUrl: book
        .text(
          "base_url",
          "an https: address; http: on this machine only",
          /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])[^\s?#@]+$/,
          "Where Twilio's API is, for a region of its own or a stand-in.",
        )
        .or("https://api.twilio.com"),
    }).pipe(
      Config.map(
        ({
          accountSid,
          authToken,
          baseUrl,
          machineDetection,
          maxCallSeconds,
          number,
          priceWaitSeconds,
          voice,
        }): MakeCarrier =>
          (place) => {
            const twilio = makeTwilio({
              accountSid,
              authToken: Redacted.value(authToken),
              publicUrl: place.url,
              baseUrl,
              priceWaitSeconds,
              voice: voiceOf(voice),
              ...detectionOf(machineDetection),
              ...(number === undefined ? {} : { from: number }),
              ...(maxCallSeconds === undefined ? {} : { maxCallSeconds }),
            })
            return {
              port: twilio.carrier,
              callbacks: (report) => nodeCallbacks(twilio.callbacks(report), place.path),
            }
          },
      ),
    ),
}
