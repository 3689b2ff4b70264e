import type { DialCommand } from "@carillon/core"
import { makeTelnyx, type TelnyxOptions, type Voice } from "@carillon/telnyx"
import { nodeWebhooks } from "@carillon/telnyx/node"
import { Config, Redacted } from "effect"
import type { SettingBook } from "../settings/SettingBook.ts"
import type { CarrierKind, MakeCarrier } from "./CarrierKind.ts"

/** Who speaks, as it is written in a setting; the host's own endpoint, and an assistant, are told whose call it is. */
const voiceOf =
  (text: string) =>
  ({ agent_id, organization_id }: DialCommand): Voice => {
    const colon = text.indexOf(":")
    const [type, rest] = [text.slice(0, colon), text.slice(colon + 1)]
    const parameters = { organization_id, agent_id }
    if (type === "stream" || type === "relay") return { type, url: rest, parameters }
    if (type === "assistant") return { type, id: rest, parameters }
    return type === "audio" ? { type, url: rest } : { type: "sip", address: text }
  }

const detectionOf = (choice: "off" | "hang_up" | "go_on"): Pick<TelnyxOptions, "machineDetection"> =>
  choice === "off" ? {} : { machineDetection: { onMachine: choice } }

const declare = (book: SettingBook) =>
  Config.all({
    apiKey: book.secret("api_key", "a key, `KEY…`", /^[!-~]+$/, "The account's API key.").needed(),
    publicKey: book
      .text(
        "public_key",
        "32 bytes in base64",
        /^[A-Za-z0-9+/]{43}=$/,
        "The account's public key; webhooks are verified with it.",
      )
      .needed(),
    connectionId: book.text("connection_id", "an id", /^[!-~]+$/, "The Voice API application that calls.").needed(),
    voice: book
      .text(
        "voice",
        "`relay:wss://…`, `stream:wss://…`, `assistant:` and its id, `sip:…`, `sips:…` or `audio:https://…`",
        /^((relay|stream):wss?:\/\/[^\s?#]+|assistant:\S+|sips?:[^\s<>"]+|audio:https:\/\/\S+)$/,
        "Who speaks. Your endpoint is told `execution_id`; that of a `relay` or a `stream`, and an `assistant`, also `organization_id` and `agent_id`.",
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
        "Whether Telnyx listens for machines, and what is done when one answered.",
      )
      .or("off"),
    maxCallSeconds: book
      .whole("max_call_seconds", 1, 14_400, "When Telnyx ends a call that goes on. Left out: its own, four hours.")
      .orNone(),
    webhookAgeSeconds: book
      .whole("webhook_age_seconds", 1, 3_600, "How old a webhook may be; an older one is refused as a replay.")
      .or(300),
    baseUrl: book
      .text(
        "base_url",
        "an https: address; http: on this machine only",
        /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])[^\s?#@]+$/,
        "Where Telnyx's API is, for a stand-in.",
      )
      .or("https://api.telnyx.com"),
  })

/** Telnyx: `@carillon/telnyx`. */
export const telnyxKind: CarrierKind = {
  type: "telnyx",
  declare: (book) =>
    Config.map(
      declare(book),
      ({ apiKey, machineDetection, maxCallSeconds, number, voice, ...settings }): MakeCarrier =>
        (place) => {
          const telnyx = makeTelnyx({
            ...settings,
            apiKey: Redacted.value(apiKey),
            publicUrl: place.url,
            voice: voiceOf(voice),
            ...detectionOf(machineDetection),
            ...(number === undefined ? {} : { from: number }),
            ...(maxCallSeconds === undefined ? {} : { maxCallSeconds }),
          })
          return {
            port: telnyx.carrier,
            callbacks: (report) => nodeWebhooks(telnyx.webhooks(report), place.path),
          }
        },
    ),
}
