import * as fc from "fast-check"
import twilio from "twilio"
import { assert, describe, it } from "vitest"
import { twimlOf, type Voice, WrongVoice } from "../src/Voice.ts"

const text = fc.string({
  unit: fc.constantFrom("a", "Z", "7", " ", "é", "漢", "😀", "&", "<", ">", '"', "'", "/", "="),
  maxLength: 20,
})
const name = fc.stringMatching(/^[a-z][a-z_]{0,8}$/).filter((word) => word !== "execution_id")
const parameters = fc.dictionary(name, text, { maxKeys: 4, noNullPrototype: true })
const id = "exec_0a1"

const statusCallback = "https://voice.example.com/twilio/stream?execution_id=exec_0a1#rc=5&rp=ct,rt,5xx"

const ours = (voice: Voice) => twimlOf(voice, id, statusCallback)
/** The SDK leaves parameters in their order; ours end with the execution id. */
const withId = (of: Record<string, string>) => Object.entries({ ...of, execution_id: id })

describe("what the callee hears", () => {
  it("a stream is what Twilio's SDK writes", () => {
    fc.assert(
      fc.property(parameters, (of) => {
        const url = "wss://media.example.com/talk"
        const theirs = new twilio.twiml.VoiceResponse()
        const stream = theirs.connect().stream({ url, statusCallback, statusCallbackMethod: "POST" })
        for (const [key, value] of withId(of)) stream.parameter({ name: key, value })
        assert.strictEqual(ours({ type: "stream", url, parameters: of }), theirs.toString())
      }),
    )
  })

  it("a conversation relay is what Twilio's SDK writes", () => {
    fc.assert(
      fc.property(parameters, text, (of, welcomeGreeting) => {
        const url = "wss://media.example.com/talk"
        const theirs = new twilio.twiml.VoiceResponse()
        const relay = theirs.connect().conversationRelay({ welcomeGreeting, language: "en-US", url })
        for (const [key, value] of withId(of)) relay.parameter({ name: key, value })
        const attributes = { welcomeGreeting, language: "en-US" }
        assert.strictEqual(ours({ type: "relay", url, parameters: of, attributes }), theirs.toString())
      }),
    )
  })

  it("a SIP address is what Twilio's SDK writes, and is told the call in a header", () => {
    for (const address of ["sip:agent@voice.example.com", "sip:agent@voice.example.com;transport=tls?X-A=1"]) {
      const theirs = new twilio.twiml.VoiceResponse()
      const header = `${address.includes("?") ? "&" : "?"}X-Execution-Id=${id}`
      theirs.dial().sip({ username: "u&v", password: 'p"w' }, address + header)
      assert.strictEqual(ours({ type: "sip", address, username: "u&v", password: 'p"w' }), theirs.toString())
    }
  })

  it("a sentence is what Twilio's SDK writes", () => {
    fc.assert(
      fc.property(text, (sentence) => {
        const theirs = new twilio.twiml.VoiceResponse()
        theirs.say(`Hello. ${sentence}`)
        assert.strictEqual(ours({ type: "say", text: `Hello. ${sentence}` }), theirs.toString())
      }),
    )
  })

  it("carries nothing that XML cannot", () => {
    const told = ours({
      type: "stream",
      url: "wss://a.example.com",
      parameters: { note: "a\u0000b\u0008c\nd\te\uD800f" },
    })
    assert.include(told, 'value="abc&#10;d&#9;ef"')
  })

  it("takes a parameter as long as Twilio does, and a longer one where Twilio names no bound", () => {
    const url = "wss://media.example.com"
    assert.include(ours({ type: "stream", url, parameters: { prompt: "x".repeat(493) } }), "x".repeat(493))
    assert.include(ours({ type: "relay", url, parameters: { prompt: "x".repeat(494) } }), "x".repeat(494))
  })

  it.each<Voice>([
    { type: "stream", url: "https://media.example.com" },
    { type: "stream", url: "ws://media.example.com" },
    { type: "relay", url: "ws://media.example.com" },
    { type: "stream", url: "wss://media.example.com/?a=1" },
    { type: "relay", url: "wss://media.example.com", attributes: { 'a="" b': "x" } },
    { type: "sip", address: "agent@example.com" },
    { type: "sip", address: 'sip:a"@example.com' },
    { type: "stream", url: "wss://media.example.com", parameters: { prompt: "x".repeat(4_000) } },
    { type: "stream", url: "wss://media.example.com", parameters: { prompt: "x".repeat(494) } },
  ])("is refused where Twilio would not take it: %j", (voice) => {
    assert.throws(() => ours(voice), WrongVoice)
  })
})
