import type { SourceFile } from "@carillon/core"

const u16 = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)

const u32 = (bytes: Uint8Array, at: number): number => u16(bytes, at) * 2 ** 16 + u16(bytes, at + 2)

const pngPixels = (bytes: Uint8Array): number | null => {
  const isHeader = u32(bytes, 8) === 13 && u32(bytes, 12) === 0x49484452
  return isHeader ? u32(bytes, 16) * u32(bytes, 20) : null
}

/** Markers that begin a frame: all of C0 to CF but those of tables and arithmetic conditioning. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Segments and fill bytes before the frame that are gone through; no image has as many, and a bomb may consist of nothing else. */
const stepsMax = 10_000

const jpegPixels = (bytes: Uint8Array): number | null => {
  let at = 2
  for (let step = 0; step < stepsMax && at + 9 < bytes.length && bytes[at] === 0xff; step++) {
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) return u16(bytes, at + 5) * u16(bytes, at + 7)
    else at += 2 + u16(bytes, at + 2)
  }
  return null
}

/** How many pixels an image says that it has, without unpacking it; null where it does not say. */
export const pixelsOf = ({ bytes, type }: Pick<SourceFile, "bytes" | "type">): number | null =>
  type === "png" ? pngPixels(bytes) : type === "jpeg" ? jpegPixels(bytes) : null
