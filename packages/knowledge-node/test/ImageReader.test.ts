import { assert, describe, it } from "vitest"
import { tesseractReader } from "../src/ImageReader.ts"
import { UnreadableImage } from "../src/index.ts"

/** The package as far as it is used; `ended` counts the workers that were let go of. */
const fake = (behaviour: {
  readonly start?: (fail: (error: unknown) => void) => Promise<void>
  readonly recognize?: (die: (error: unknown) => void) => Promise<string>
}) => {
  const seen = { started: 0, ended: 0, asked: 0, languages: "", data: "" }
  const reader = tesseractReader(
    {
      createWorker: async (languages, _, { cacheMethod, errorHandler, langPath }) => {
        seen.started += 1
        seen.languages = languages
        seen.data = `${langPath} ${cacheMethod}`
        await behaviour.start?.(errorHandler)
        let die: (error: unknown) => void = () => {}
        return {
          worker: { once: (_event, listener) => (die = listener) },
          recognize: async () => {
            seen.asked += 1
            return { data: { text: (await behaviour.recognize?.((error) => die(error))) ?? "text" } }
          },
          terminate: async () => {
            seen.ended += 1
          },
        }
      },
    },
    "eng+hin",
    "/languages",
  )
  const read = (signal = new AbortController().signal) => reader.read(Uint8Array.of(1), signal)
  return { read, seen }
}

const failureOf = async (reading: Promise<string>): Promise<unknown> =>
  reading.then(
    (text) => text,
    (error: unknown) => error,
  )

describe("the reader of tesseract.js", () => {
  it("reads with the languages that it was given, and lets go of its worker", async () => {
    const { read, seen } = fake({})
    assert.strictEqual(await read(), "text")
    assert.deepStrictEqual(seen, { started: 1, ended: 1, asked: 1, languages: "eng+hin", data: "/languages none" })
  })

  it("tells a damaged image from a reader that is away, and ends the worker of the first", async () => {
    const damaged = fake({ recognize: () => Promise.reject(new Error("not an image")) })
    assert.instanceOf(await failureOf(damaged.read()), UnreadableImage)
    assert.strictEqual(damaged.seen.ended, 1)
    const dying = fake({
      recognize: (die) => {
        die(new Error("out of memory"))
        return new Promise(() => {})
      },
    })
    assert.instanceOf(await failureOf(dying.read()), UnreadableImage)
    assert.strictEqual(dying.seen.ended, 1)
  })

  it("is not started again once it could not be, even where it says so to its error handler alone", async () => {
    const silent = fake({
      start: (fail) => {
        fail("no language data")
        return new Promise(() => {})
      },
    })
    for (let nth = 0; nth < 3; nth++) {
      const failure = await failureOf(silent.read())
      assert.isTrue(failure instanceof Error && !(failure instanceof UnreadableImage))
    }
    assert.strictEqual(silent.seen.started, 1)
  })

  it("asks nothing of a worker that comes up when nobody waits any more", async () => {
    const aborted = new AbortController()
    const { read, seen } = fake({ start: async () => aborted.abort() })
    assert.instanceOf(await failureOf(read(aborted.signal)), Error)
    assert.deepInclude(seen, { started: 1, ended: 1, asked: 0 })
  })

  it("ends its worker when nobody waits any more", async () => {
    const aborted = new AbortController()
    const { read, seen } = fake({
      recognize: (die) => {
        aborted.abort()
        die(new Error("terminated"))
        return new Promise(() => {})
      },
    })
    await failureOf(read(aborted.signal))
    assert.isAtLeast(seen.ended, 1)
  })
})
