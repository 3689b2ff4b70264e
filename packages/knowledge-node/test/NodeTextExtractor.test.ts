import { assert, describe, it } from "@effect/vitest"
import type { SourceFile, UnreadableFile } from "@carillon/core"
import { Effect, Fiber } from "effect"
import { type ImageReader, NodeTextExtractor, UnreadableImage } from "../src/index.ts"
import { bomb, pdfOf, pdfOfContent, pdfOfPages, stream } from "./Pdf.ts"

const pdf = (bytes: Uint8Array): SourceFile => ({ name: "a.pdf", type: "pdf", bytes })

const png = (width: number, height: number): SourceFile => {
  const bytes = new Uint8Array(33)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
  const view = new DataView(bytes.buffer)
  view.setUint32(16, width)
  view.setUint32(20, height)
  return { name: "a.png", type: "png", bytes }
}

const jpeg = (width: number, height: number): SourceFile => ({
  name: "a.jpg",
  type: "jpeg",
  bytes: Uint8Array.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 17, 8],
    ...[height >> 8, height & 255, width >> 8, width & 255, 3, 0, 0, 0],
  ]),
})

const verdict = Effect.match({
  onSuccess: (text: string | null) => text ?? "no means",
  onFailure: (error: { readonly _tag: string }) => error._tag,
})

const catalog = "<< /Type /Catalog /Pages 2 0 R >>"
const locked =
  "/Encrypt << /Filter /Standard /V 1 /R 2 /O (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) /U (bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb) /P -4 >> /ID [(a) (b)]"

const good = pdfOfPages(["Refunds are paid\nwithin ten days.", "Parking is (nearly) free."])

const text = (content: string) => Buffer.from(content, "latin1")

describe("PDF files", () => {
  const { extract } = NodeTextExtractor.make({ pdf: { timeMs: 20_000, memoryBytes: 64 * 1024 * 1024 } })

  it.live("give their text, line by line and page by page", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* extract(pdf(good)), "Refunds are paid\nwithin ten days.\nParking is (nearly) free.\n")
      assert.strictEqual((yield* extract(pdf(pdfOfPages([""]))))?.trim(), "")
    }),
  )

  it.live(
    "that are damaged, locked or without end are unreadable, and harm nothing",
    () =>
      Effect.gen(function* () {
        const hostile: ReadonlyArray<readonly [what: string, bytes: Uint8Array]> = [
          ["header only", text("%PDF-1.7\n")],
          ["cut", good.subarray(0, 150)],
          [
            "noise",
            Uint8Array.from([...text("%PDF-1.7\n"), ...Array.from({ length: 3000 }, (_, n) => (n * 7919) % 251)]),
          ],
          ["a page tree that is its own child", pdfOf([catalog, "<< /Type /Pages /Kids [2 0 R] /Count 99999999 >>"])],
          ["locked", pdfOf([catalog, "<< /Type /Pages /Kids [] /Count 0 >>"], locked)],
          ["a bomb", bomb(150_000_000)],
          ["a bomb in a bomb", bomb(150_000_000, 2)],
        ]
        for (const [what, bytes] of hostile) {
          assert.strictEqual(yield* verdict(extract(pdf(bytes))), "UnreadableFile", what)
        }
        assert.include(yield* extract(pdf(good)), "Refunds")
      }),
    30_000,
  )

  it.live("run no script and no program that they bring along", () =>
    Effect.gen(function* () {
      const mark = "carillonWasHere"
      const scripted = pdfOf([
        `<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (globalThis.${mark} = 1) >> >>`,
        "<< /Type /Pages /Kids [] /Count 0 >>",
      ])
      yield* verdict(extract(pdf(scripted)))
      assert.isUndefined(Reflect.get(globalThis, mark))
    }),
  )

  it.live("that take too long, or hold more than is taken, are unreadable", () =>
    Effect.gen(function* () {
      const slow = pdfOfContent(stream(text("q Q ".repeat(5_000_000))))
      const hasty = NodeTextExtractor.make({ pdf: { timeMs: 1 } })
      assert.strictEqual(yield* verdict(hasty.extract(pdf(slow))), "UnreadableFile")
      const short = NodeTextExtractor.make({ pdf: { charactersMax: 10 } })
      assert.strictEqual(yield* verdict(short.extract(pdf(good))), "UnreadableFile")
      const onePage = NodeTextExtractor.make({ pdf: { pagesMax: 1 } })
      assert.strictEqual(yield* verdict(onePage.extract(pdf(good))), "UnreadableFile")
    }),
  )

  it.live("that nobody waits for any more make room for the next", () =>
    Effect.gen(function* () {
      const one = NodeTextExtractor.make({ concurrency: 1 })
      const slow = pdfOfContent(stream(text("q Q ".repeat(5_000_000))))
      const fiber: Fiber.Fiber<string | null, UnreadableFile | { readonly _tag: string }> = yield* Effect.forkChild(
        one.extract(pdf(slow)),
      )
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.include(yield* one.extract(pdf(good)), "Refunds")
    }),
  )
})

describe("images", () => {
  const reading = (read: ImageReader["read"]) => NodeTextExtractor.make({ images: { read } })

  it.live("have no text where there is nothing to read them with", () =>
    Effect.gen(function* () {
      assert.isNull(yield* NodeTextExtractor.make({ images: null }).extract(png(10, 10)))
      // `tesseract.js` is not installed in this workspace.
      assert.isNull(yield* NodeTextExtractor.make().extract(jpeg(10, 10)))
    }),
  )

  it.live("are damaged or too large also where there is nothing to read them with", () =>
    Effect.gen(function* () {
      const { extract } = NodeTextExtractor.make({ images: null })
      const signature: SourceFile = { ...png(1, 1), bytes: png(1, 1).bytes.subarray(0, 8) }
      const frameless: SourceFile = { ...jpeg(1, 1), bytes: jpeg(1, 1).bytes.subarray(0, 8) }
      for (const bad of [png(0, 10), png(100_000, 100_000), jpeg(65_535, 65_535), signature, frameless]) {
        assert.strictEqual(yield* verdict(extract(bad)), "UnreadableFile")
      }
    }),
  )

  it.live("are read, unless they are damaged or unpack to more than is looked at", () =>
    Effect.gen(function* () {
      let asked = 0
      const { extract } = reading(async (bytes) => {
        asked += 1
        return `${bytes.length} bytes`
      })
      assert.strictEqual(yield* extract(png(100, 200)), "33 bytes")
      assert.strictEqual(yield* extract(jpeg(100, 200)), "21 bytes")
      for (const bad of [png(0, 10), png(100_000, 100_000), jpeg(65_535, 65_535), jpeg(0, 0)]) {
        assert.strictEqual(yield* verdict(extract(bad)), "UnreadableFile")
      }
      const headless: SourceFile = { ...png(1, 1), bytes: png(1, 1).bytes.subarray(0, 8) }
      assert.strictEqual(yield* verdict(extract(headless)), "UnreadableFile")
      assert.strictEqual(asked, 2)
    }),
  )

  it.live("that the reader refuses are unreadable; a reader that fails is away", () =>
    Effect.gen(function* () {
      const refusing = reading(() => Promise.reject(new UnreadableImage()))
      assert.strictEqual(yield* verdict(refusing.extract(png(1, 1))), "UnreadableFile")
      const failing = reading(() => Promise.reject(new Error("no language data")))
      assert.strictEqual(yield* verdict(failing.extract(png(1, 1))), "DependencyUnavailable")
    }),
  )

  it.live("let go of the reader when nobody waits any more", () =>
    Effect.gen(function* () {
      let begun = () => {}
      const started = new Promise<void>((resolve) => (begun = resolve))
      let isAborted = false
      const { extract } = reading(
        (_, signal) =>
          new Promise(() => {
            signal.addEventListener("abort", () => (isAborted = true))
            begun()
          }),
      )
      const fiber = yield* Effect.forkChild(extract(png(1, 1)))
      yield* Effect.promise(() => started)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(isAborted)
    }),
  )
})
