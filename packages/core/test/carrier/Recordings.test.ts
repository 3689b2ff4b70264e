import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { opensRecording, passOnRecording, recordingAddress, recordingPass } from "@carillon/core/carrier"

const listener = (headers: Record<string, string> = {}) => new Request("https://host.test/recordings/1/x", { headers })

describe("the pass of a recording", () => {
  it("opens that recording alone, and ends with the account's secret", async () => {
    const word = fc.string({ minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(word, word, word, word, async (secret, id, otherSecret, otherId) => {
        const pass = await recordingPass(secret, id)
        assert.match(pass, /^[A-Za-z0-9_-]{43}$/)
        assert.isTrue(await opensRecording(secret, id, pass))
        assert.strictEqual(await opensRecording(secret, otherId, pass), otherId === id)
        assert.strictEqual(await opensRecording(otherSecret, id, pass), otherSecret === secret)
      }),
      { numRuns: 60 },
    )
  })

  it("is nothing else", async () => {
    const pass = await recordingPass("token", "one")
    for (const shown of ["", `${pass.slice(0, -2)}AA`, "%%%"]) {
      assert.isFalse(await opensRecording("token", "one", shown))
    }
  })

  // The addresses are kept in rows: what an older version gave must open for ever.
  it("is the same in every version", async () => {
    const address = "https://voice.example.com/twilio/recordings/RE1/pEd7s_a2jSab7w8mX9Hwx__-W1WAgyiMVfAdj3wFrWg"
    assert.strictEqual(await recordingAddress("https://voice.example.com/twilio", "token", "RE1"), address)
  })
})

describe("a recording that is passed on", () => {
  it("comes with what says how it is heard, and nothing of the account", async () => {
    const asked: Array<Request> = []
    const headers = { "content-type": "audio/mpeg", "content-length": "5", "x-account": "AC1", "set-cookie": "a=b" }
    const storage = async (request: Request) => {
      asked.push(request)
      return new Response("sound", { status: 206, headers })
    }
    const heard = listener({ range: "bytes=0-4", cookie: "mine" })
    const answer = await passOnRecording(storage, heard, "https://vendor.test/1.mp3", { authorization: "Basic x" })
    assert.deepStrictEqual([answer.status, await answer.text()], [206, "sound"])
    assert.deepStrictEqual(Object.fromEntries(answer.headers), {
      "cache-control": "private, no-store",
      "content-length": "5",
      "content-type": "audio/mpeg",
    })
    assert.deepStrictEqual(
      asked.map(({ headers: sent }) => Object.fromEntries(sent)),
      [{ authorization: "Basic x", range: "bytes=0-4" }],
    )
  })

  it.each([
    [404, 404],
    [401, 502],
    [500, 502],
    [302, 502],
  ])("is told to be away where the vendor says %i: %i", async (status, told) => {
    const answer = await passOnRecording(
      async () => new Response("no", { status }),
      listener(),
      "https://vendor.test/1",
    )
    assert.deepStrictEqual([answer.status, await answer.text()], [told, ""])
  })

  it("is away where the vendor cannot be reached", async () => {
    const answer = await passOnRecording(() => Promise.reject(new Error("reset")), listener(), "https://vendor.test/1")
    assert.strictEqual(answer.status, 502)
  })
})
