import { crc32, deflateSync } from "node:zlib"
import type { Tenant } from "./Messages.ts"

/** Files and forms as attacks send them. */

export const bytes = (text: string): Buffer => Buffer.from(text, "utf8")

export const megabytes = (count: number): number => count * 1024 * 1024

/** A form of some fields and a file. */
export const form = (
  tenant: Tenant,
  file: string | Buffer,
  fileName: string,
  boundary: string,
  fields: Readonly<Record<string, string>>,
): Buffer =>
  Buffer.concat([
    ...Object.entries({ ...fields, agent_id: tenant.agent_id }).map(([name, value]) =>
      bytes(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    ),
    bytes(
      `--${boundary}\r\nContent-Disposition: form-data; name="${fileName.endsWith("csv") ? "file" : "files"}"; filename="${fileName}"\r\n\r\n`,
    ),
    typeof file === "string" ? bytes(file) : file,
    bytes(`\r\n--${boundary}--\r\n`),
  ])

/** A PDF of one page, whose contents are packed. */
export const pdfOf = (packed: Buffer): Buffer =>
  Buffer.concat([
    bytes(
      "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n" +
        "3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>\nendobj\n" +
        `5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n4 0 obj\n<</Length ${packed.length}/Filter/FlateDecode>>\nstream\n`,
    ),
    packed,
    bytes("\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n"),
  ])

const pngChunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([bytes(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** A black picture of so many pixels either way. */
export const pngOf = (side: number): Buffer => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.writeUInt8(8, 8)
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    pngChunk("IHDR", head),
    pngChunk("IDAT", deflateSync(Buffer.alloc(side * (side + 1)))),
    pngChunk("IEND", Buffer.alloc(0)),
  ])
}
