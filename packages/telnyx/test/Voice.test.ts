import { assert, describe, it } from "vitest"
import { spokenBy, type Voice, WrongVoice } from "../src/Voice.ts"

const id = "exec_1"

describe("who speaks", () => {
  it("is told the execution, and what the host says", () => {
    const parameters = { name: "Ada & Co", execution_id: "another" }
    assert.deepStrictEqual(spokenBy({ type: "stream", url: "wss://a.example.com/x?y=1", parameters }, id), {
      fields: {
        stream_url: "wss://a.example.com/x?y=1&name=Ada+%26+Co&execution_id=exec_1",
        stream_track: "inbound_track",
        stream_bidirectional_mode: "rtp",
        stream_bidirectional_codec: "PCMU",
      },
      deed: null,
    })
    assert.deepInclude(
      spokenBy({ type: "stream", url: "wss://a.example.com", codec: "OPUS", authToken: "t" }, id).fields,
      { stream_bidirectional_codec: "OPUS", stream_auth_token: "t" },
    )
    const relay = { type: "relay", url: "wss://a.example.com/", parameters, attributes: { greeting: "Hello" } } as const
    assert.deepStrictEqual(spokenBy(relay, id).fields, {
      conversation_relay_config: {
        greeting: "Hello",
        url: "wss://a.example.com/",
        custom_parameters: { name: "Ada & Co", execution_id: id },
      },
    })
    assert.deepStrictEqual(spokenBy({ type: "assistant", id: "assistant-1", instructions: "Be kind." }, id).fields, {
      assistant: { id: "assistant-1", instructions: "Be kind.", dynamic_variables: { execution_id: id } },
    })
  })

  it("may have to be fetched once the callee has answered", () => {
    const sip = { type: "sip", address: "sip:agent@voice.example.com;transport=tls" } as const
    assert.deepStrictEqual(spokenBy(sip, id), { fields: {}, deed: { type: "transfer", address: sip.address } })
    assert.deepStrictEqual(spokenBy({ type: "audio", url: "https://a.example.com/hello.mp3" }, id), {
      fields: { audio_url: "https://a.example.com/hello.mp3" },
      deed: { type: "hang_up_after_audio" },
    })
  })

  const wrong: ReadonlyArray<Voice> = [
    { type: "stream", url: "nowhere" },
    { type: "stream", url: "https://a.example.com" },
    { type: "stream", url: "wss://a.example.com/#x" },
    { type: "stream", url: "wss://a.example.com", parameters: { long: "x".repeat(40_000) } },
    { type: "relay", url: "nowhere" },
    { type: "relay", url: "wss://a.example.com", attributes: { "no name": 1 } },
    { type: "sip", address: "agent@voice.example.com" },
    { type: "sip", address: "sip:two words" },
    { type: "sip", address: `sip:${"x".repeat(2_000)}` },
    { type: "audio", url: "http://a.example.com/hello.mp3" },
  ]
  it.each(wrong.map((voice) => [voice.type, voice] as const))("of a wrong %s is not sent", (_, voice) => {
    assert.throws(() => spokenBy(voice, id), WrongVoice)
  })
})
