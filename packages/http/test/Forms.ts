/** A part of a form: a field, or a file where it has a name. */
export interface Part {
  readonly name: string
  readonly value: string | Uint8Array
  readonly filename?: string
}

export const boundary = "----carillon-test-boundary"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

/** A form as it is sent: the headers and the bytes. */
export const formOf = (parts: ReadonlyArray<Part>) => {
  const bytes = joined([
    ...parts.flatMap(({ filename, name, value }) => [
      encode(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"\r\nContent-Type: application/octet-stream`}\r\n\r\n`,
      ),
      typeof value === "string" ? encode(value) : value,
      encode("\r\n"),
    ]),
    encode(`--${boundary}--\r\n`),
  ])
  return {
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": String(bytes.length),
    },
    bytes,
  }
}

/** A file that is taken for a PDF, with this text in it. */
export const pdf = (text: string, filename = "a.pdf"): Part => ({
  name: "files",
  filename,
  value: `%PDF-1.7\n${text}`,
})
