import { assert, it } from "vitest"
import { meaningOfStreamError, streamFailed } from "../src/StreamWords.ts"
import { errorText, harmOf, standardWays, streamErrors } from "./standin/StreamWays.ts"

/** Texts of the error as its page's title has it, with its code, and without. */
const rows: ReadonlyArray<readonly [text: string, tag: "Failed" | "Closed" | "Unclear", code?: string]> = [
  ["31901", "Failed", "31901"],
  ["31920: Stream - WebSocket - Handshake Error", "Failed", "31920"],
  ["Stream - WebSocket - Handshake Error", "Failed"],
  ["Stream - WebSocket - Connection Timeout", "Failed"],
  ["Stream - WebSocket - SSL Protocol Error (31910)", "Failed", "31910"],
  ["Stream - Websocket - Protocol Error", "Failed"],
  // The host ends a talk so, too.
  ["31921: Stream - WebSocket - Close Error", "Closed"],
  ["Stream - WebSocket - Close Error", "Closed"],
  // A warning: the stream goes on.
  ["31951: Stream - Protocol - Invalid Message", "Unclear"],
  ["3192", "Unclear"],
  ["131920", "Unclear"],
  ["", "Unclear"],
]

it.each(rows.map(([text, tag, code = null]) => ({ text, tag, code })))("$text is $tag", ({ text, tag, code }) => {
  assert.deepStrictEqual(meaningOfStreamError(text), tag === "Failed" ? { _tag: tag, code } : { _tag: tag })
})

/** What the stand-in's author read on the pages of the errors. */
const tags = { unopened: "Failed", broken: "Failed", closed: "Closed", none: "Unclear" } as const

it.each(streamErrors)("%i is what its page says, however it is told", (code) => {
  for (const error_is of ["words", "code", "both"] as const) {
    const text = errorText(code, { ...standardWays, error_is })
    assert.strictEqual(meaningOfStreamError(text)._tag, tags[harmOf(code)], text)
  }
})

it("a call that was cut off says why", () => {
  assert.strictEqual(streamFailed("31920"), "The stream to the voice failed (Twilio's error 31920).")
  assert.strictEqual(streamFailed(null), "The stream to the voice failed.")
})
