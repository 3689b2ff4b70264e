import { deflateSync } from "node:zlib"

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1")

/** A PDF of these objects, numbered from 1, the first of them its catalog; with the table of where they lie. */
export const pdfOf = (objects: ReadonlyArray<string | Buffer>, trailer = ""): Uint8Array => {
  const parts: Array<Buffer> = [latin1("%PDF-1.7\n")]
  const offsets: Array<number> = []
  let length = parts[0]?.length ?? 0
  const push = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  objects.forEach((object, nth) => {
    offsets.push(length)
    push(latin1(`${nth + 1} 0 obj\n`))
    push(typeof object === "string" ? latin1(object) : object)
    push(latin1("\nendobj\n"))
  })
  const table = length
  push(latin1(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`))
  for (const offset of offsets) push(latin1(`${String(offset).padStart(10, "0")} 00000 n \n`))
  push(latin1(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${table}\n%%EOF\n`))
  return new Uint8Array(Buffer.concat(parts))
}

export const stream = (content: Buffer, filter = ""): Buffer =>
  Buffer.concat([latin1(`<< /Length ${content.length} ${filter} >>\nstream\n`), content, latin1("\nendstream")])

const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"

const pageOf = (contents: number) =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${contents} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`

/** A PDF with a page for each text, one line for each of its lines. */
export const pdfOfPages = (pages: ReadonlyArray<string>): Uint8Array => {
  const kids = pages.map((_, nth) => `${4 + 2 * nth} 0 R`).join(" ")
  const content = (text: string) => {
    const lines = text.split("\n").map((line) => `(${line.replace(/[\\()]/g, "\\$&")}) Tj T*`)
    return stream(latin1(`BT /F1 12 Tf 14 TL 72 720 Td ${lines.join(" ")} ET`))
  }
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    font,
    ...pages.flatMap((text, nth) => [pageOf(5 + 2 * nth), content(text)]),
  ])
}

/** A PDF whose one page is a stream. */
export const pdfOfContent = (content: Buffer): Uint8Array =>
  pdfOf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>", font, pageOf(5), content])

/** A PDF of a few kilobytes whose one page unpacks to so many bytes, packed once for each round. */
export const bomb = (bytes: number, rounds = 1): Uint8Array => {
  let content: Buffer = Buffer.alloc(bytes, 0x20)
  for (let round = 0; round < rounds; round++) content = deflateSync(content, { level: 1 })
  const filters = Array.from({ length: rounds }, () => "/FlateDecode").join(" ")
  return pdfOfContent(stream(content, `/Filter [${filters}]`))
}
