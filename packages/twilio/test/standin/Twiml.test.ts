import fc from "fast-check"
import { expect, it } from "vitest"
import { readTwiml } from "./Twiml.ts"

const response = (inside: string) => `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${inside}</Response>`

it.each([
  '<Connect><Stream url="wss://media.test/a"><Parameter name="id" value="1"/></Stream></Connect>',
  '<Connect action="https://h.test/end?a=1&amp;b=2"><ConversationRelay url="wss://relay.test/" welcomeGreeting="Hi &#33;"/></Connect>',
  "<Dial answerOnBridge='true'><Sip>sip:agent@host.test;transport=tls</Sip></Dial>",
  "<!-- first --><Say>One <break time='1s'/> moment.</Say><Pause length='2'/><Hangup/>",
  "<Say><![CDATA[1 < 2 & so on]]></Say>",
  '<Start><Transcription statusCallbackUrl="https://h.test/t"/></Start><Redirect>https://h.test/next</Redirect>',
  "",
])("reads %s", (inside) => {
  expect(readTwiml(response(inside))).toMatchObject({ _tag: "Read", warnings: [] })
})

it("tells what a call would hear", () => {
  const reading = readTwiml(
    response('<Connect><Stream url="wss://m.test/"><Parameter name="n" value="a&quot;b"/></Stream></Connect>'),
  )
  const [connect] = reading._tag === "Read" ? reading.twiml.verbs : []
  const [stream] = connect?.children ?? []
  expect(stream?.attributes.get("url")).toBe("wss://m.test/")
  expect(stream?.children[0]?.attributes.get("value")).toBe('a"b')
})

it.each([
  ["<Respond/>", "is no <Response>"],
  ["<Response>", "is not closed"],
  ["<Response><Say>a</Response>", "</Response> for <Say>"],
  ["<Response/><Response/>", "after the end"],
  ["<Response><Say>a & b</Say></Response>", "bare &"],
  ["<Response><Say>&nbsp;</Say></Response>", "unknown reference"],
  ['<Response><Say voice="a" voice="b"/></Response>', "twice"],
  ["<Response><Say voice=a/></Response>", "without an end"],
  ["<!DOCTYPE x><Response/>", "no name"],
  ["", "no element"],
  [`<Response><Say>${"a".repeat(65_536)}</Say></Response>`, "64 KiB"],
  ["<a>".repeat(64), "too deep"],
])("does not read %.40s", (text, why) => {
  expect(readTwiml(text)).toMatchObject({ _tag: "Unreadable", why: expect.stringContaining(why) })
})

it.each([
  ["<Speak>Hi</Speak>", "<Speak> in <Response>"],
  ["<Stream url='wss://m.test/'/>", "<Stream> in <Response>"],
  ["<Connect><Stream url='https://m.test/'/></Connect>", "<Stream> without a wss: url"],
  ["<Connect><Stream/></Connect>", "<Stream> without a wss: url"],
  ["<Connect><ConversationRelay url='ws://r.test'/></Connect>", "<ConversationRelay> without a wss: url"],
  [
    "<Connect><Stream url='wss://m.test/'><Parameter name='a'/></Stream></Connect>",
    "<Parameter> without a name and a value",
  ],
])("warns of %s", (inside, warning) => {
  expect(readTwiml(response(inside))).toMatchObject({ _tag: "Read", warnings: [warning] })
})

it("reads back every text that is escaped", () => {
  const escaped = (text: string) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll(">", "&gt;")
  const text = fc.string({ unit: "grapheme", maxLength: 40 })
  fc.assert(
    fc.property(text, text, (attribute, content) => {
      const reading = readTwiml(response(`<Say voice="${escaped(attribute)}">${escaped(content)}</Say>`))
      const say = reading._tag === "Read" ? reading.twiml.verbs[0] : undefined
      expect([say?.attributes.get("voice"), say?.text]).toEqual([attribute, content])
    }),
  )
})

it("never fails otherwise", () => {
  const pieces = fc.constantFrom(
    "<Response>",
    "</Response>",
    "<Say>",
    "</Say>",
    "<!--",
    "-->",
    "<",
    ">",
    "/",
    "&",
    "&amp;",
    '"',
    " a='b'",
    "<![CDATA[",
    "]]>",
    "x",
  )
  fc.assert(fc.property(fc.array(pieces), (parts) => void readTwiml(parts.join(""))))
})
