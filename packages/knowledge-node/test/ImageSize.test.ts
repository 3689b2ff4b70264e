import { assert, it } from "vitest"
import { pixelsOf } from "../src/ImageSize.ts"

const mib = 1024 * 1024
const start = Uint8Array.of(0xff, 0xd8)
const frame = Uint8Array.of(0xff, 0xc0, 0, 17, 8, 0, 100, 0, 200, 3, 0, 0)

const jpeg = (...parts: ReadonlyArray<Uint8Array>) =>
  pixelsOf({ bytes: new Uint8Array(Buffer.concat([start, ...parts])), type: "jpeg" })

it("finds the frame behind as many segments as a camera and an editor write", () => {
  const segment = Uint8Array.of(0xff, 0xe1, 0, 4, 1, 2)
  assert.strictEqual(jpeg(frame), 20_000)
  assert.strictEqual(jpeg(...Array.from({ length: 2_000 }, () => segment), Uint8Array.of(0xff, 0xff), frame), 20_000)
})

it("does not go through a file that is nothing but fill bytes, or segments of nothing, up to its end", () => {
  const empty = Uint8Array.of(0xff, 0xe1, 0, 0)
  assert.isNull(jpeg(new Uint8Array(mib).fill(0xff), frame))
  assert.isNull(jpeg(...Array.from({ length: 100_000 }, () => empty), frame))
})
