import { inflateSync } from "node:zlib"
import { malformed, Refusal } from "./errors.ts"

/** What an uploaded file is, judged by its content, and the words in it. */

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const jpeg = Buffer.from([0xff, 0xd8, 0xff])

/** A page of text has far fewer words; what inflates further is no document. */
const maxInflatedBytes = 8 * 1024 * 1024

const inflated = (bytes: Buffer): string => {
  try {
    return inflateSync(bytes, { maxOutputLength: maxInflatedBytes }).toString("latin1")
  } catch {
    return bytes.toString("latin1")
  }
}

const shown = (content: string): string => {
  const words: Array<string> = []
  for (const [, text = ""] of content.matchAll(/\(((?:[^()\\]|\\.){0,2000})\)\s{0,8}(?:Tj|'|")/gs)) words.push(text)
  for (const [, array = ""] of content.matchAll(/\[([^\]]{0,2000})\]\s{0,8}TJ/g)) {
    words.push([...array.matchAll(/\(((?:[^()\\]|\\.){0,2000})\)/gs)].map(([, text = ""]) => text).join(""))
  }
  return words.join(" ").replace(/\\([()\\])/g, "$1")
}

/** The text of a PDF: what its content streams show. */
const pdfText = (bytes: Buffer): string => {
  const whole = bytes.toString("latin1")
  if (!whole.includes("%%EOF")) throw malformed("An uploaded file cannot be read.")
  const texts: Array<string> = []
  for (let at = whole.indexOf("stream"); at >= 0; at = whole.indexOf("stream", at + 6)) {
    if (whole.slice(at - 3, at) === "end") continue
    const end = whole.indexOf("endstream", at)
    if (end < 0) break
    const start = at + 6 + (whole.startsWith("\r\n", at + 6) ? 2 : 1)
    texts.push(shown(inflated(bytes.subarray(start, end))))
    at = end
  }
  return texts.join(" ").trim()
}

/** The text of a file; a picture has none. */
export const textOf = (bytes: Buffer): string => {
  if (bytes.length === 0) throw malformed("An uploaded file is empty.")
  if (bytes.subarray(0, 1024).includes("%PDF-")) return pdfText(bytes)
  if (bytes.subarray(0, png.length).equals(png)) {
    if (!bytes.includes("IEND")) throw malformed("An uploaded file cannot be read.")
    return ""
  }
  if (bytes.subarray(0, jpeg.length).equals(jpeg)) {
    if (bytes.length < 100) throw malformed("An uploaded file cannot be read.")
    return ""
  }
  throw new Refusal(1000, "Only PDF, PNG, JPG and JPEG files are accepted.", { status: 415 })
}

/** A text in pieces that overlap. */
export const chunksOf = (text: string, size: number, overlap: number): Array<string> => {
  const chunks: Array<string> = []
  const step = Math.max(1, size - overlap)
  for (let from = 0; from < text.length; from += step) {
    chunks.push(text.slice(from, from + size))
    if (from + size >= text.length) break
  }
  return chunks
}
