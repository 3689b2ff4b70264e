/** A part of a form: a field, or a file where it has a name. */
export interface Part {
  readonly name: string
  readonly value: string | Uint8Array
  readonly filename?: string
}

const boundary = "----carillon-test-boundary"

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

/** A form as it is sent: the header and the bytes. */
export const formOf = (parts: ReadonlyArray<Part>) => ({
  headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  bytes: joined([
    ...parts.flatMap(({ filename, name, value }) => [
      encode(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"\r\nContent-Type: text/csv`}\r\n\r\n`,
      ),
      typeof value === "string" ? encode(value) : value,
      encode("\r\n"),
    ]),
    encode(`--${boundary}--\r\n`),
  ]),
})
