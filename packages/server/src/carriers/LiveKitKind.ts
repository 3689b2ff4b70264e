import { makeLiveKit } from "@carillon/livekit"
import { nodeCallbacks } from "@carillon/livekit/node"
import { Config, Redacted } from "effect"
import type { SettingBook } from "../settings/SettingBook.ts"
import type { CarrierKind, MakeCarrier } from "./CarrierKind.ts"

const declare = (book: SettingBook) =>
  Config.all({
    url: book
      .text(
        "url",
        "a wss: or https: address; unencrypted on this machine only",
        /^((wss|https):\/\/|(ws|http):\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])[^\s?#@]+$/,
        "The project's address.",
      )
      .needed(),
    apiKey: book.text("api_key", "a key", /^\S+$/, "The project's key.").needed(),
    apiSecret: book
      .secret("api_secret", "a secret", /^\S+$/, "Its secret; webhooks and the worker's reports are verified with it.")
      .needed(),
    trunkId: book
      .text("trunk_id", "an outbound trunk, `ST_…`", /^ST_\S+$/, "The trunk through which numbers are called.")
      .needed(),
    agentName: book
      .text("agent_name", "1 to 64 characters", /^\S.{0,63}$/, "The name under which your voice worker is registered.")
      .needed(),
    number: book
      .text(
        "number",
        "a number such as `+12125550100`",
        /^\+[1-9]\d{1,14}$/,
        "The number to call from for calls that name none. Left out: the trunk's own.",
      )
      .orNone(),
    onMachine: book
      .choice("on_machine", ["go_on", "hang_up"], "What is done when the worker says that a machine answered.")
      .or("go_on"),
    maxCallSeconds: book
      .whole("max_call_seconds", 1, 86_400, "When LiveKit ends a call that goes on. Left out: its own, a day.")
      .orNone(),
    agentWaitSeconds: book
      .whole(
        "agent_wait_seconds",
        1,
        60,
        "How long after the callee has answered an agent may take to come into the room. A callee who is alone by then is taken out, and the call is an error.",
      )
      .or(15),
    reportWaitSeconds: book
      .whole(
        "report_wait_seconds",
        0,
        20,
        "How long an ended call waits for its worker's report before it gives its line back.",
      )
      .or(20),
    roomPrefix: book
      .text("room_prefix", "1 to 64 visible ASCII characters", /^[!-~]{1,64}$/, "What the names of rooms begin with.")
      .or("call-"),
  })

/** LiveKit: `@carillon/livekit`. Recordings need code of the host's own, so there are none. */
export const liveKitKind: CarrierKind = {
  type: "livekit",
  declare: (book) =>
    Config.map(declare(book), ({ apiSecret, maxCallSeconds, number, ...settings }): MakeCarrier => (place) => {
      const livekit = makeLiveKit({
        ...settings,
        apiSecret: Redacted.value(apiSecret),
        publicUrl: place.url,
        ...(number === undefined ? {} : { from: number }),
        ...(maxCallSeconds === undefined ? {} : { maxCallSeconds }),
      })
      return {
        port: livekit.carrier,
        callbacks: (report) => nodeCallbacks(livekit.callbacks(report), place.path),
      }
    }),
}
