/** One part of a form: a field, or a file where it has a file name. */
export interface Part {
  readonly name: string
  readonly file?: string
  readonly bytes: Uint8Array | string
}

export const boundary = "----carillon"

const latin1 = (text: string) => Buffer.from(text, "latin1")

/** A multipart body of these parts. */
export const multipart = (parts: ReadonlyArray<Part>): Uint8Array =>
  new Uint8Array(
    Buffer.concat([
      ...parts.flatMap(({ bytes, file, name }) => [
        latin1(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"`),
        latin1(
          file === undefined ? "\r\n\r\n" : `; filename="${file}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
        ),
        typeof bytes === "string" ? Buffer.from(bytes) : bytes,
        latin1("\r\n"),
      ]),
      latin1(`--${boundary}--\r\n`),
    ]),
  )

export const formHeaders = (body: Uint8Array): Readonly<Record<string, string>> => ({
  "content-type": `multipart/form-data; boundary=${boundary}`,
  "content-length": String(body.length),
})

/** Bytes that are taken for a PDF. */
const pdf = (text: string): Uint8Array => new Uint8Array(latin1(`%PDF-1.7\n${text}`))

export const file = (text: string, name = "a.pdf"): Part => ({ name: "files", file: name, bytes: pdf(text) })
