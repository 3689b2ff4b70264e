import type { RequestParts } from "../http/Client.ts"

/** A part of a form: a field, or a file where it has a file name. */
export interface Part {
  readonly name: string
  readonly value: string | Uint8Array
  readonly filename?: string
  /** The content type of a file; when omitted it is said to be any bytes. */
  readonly type?: string
}

const boundary = "carillon-conformance-form"

const headOf = ({ filename, name, type = "application/octet-stream" }: Part): string => {
  const file = filename === undefined ? "" : `; filename="${filename}"\r\nContent-Type: ${type}`
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`
}

/** A form as it is sent. */
export const form = (
  parts: ReadonlyArray<Part>,
): Required<Pick<RequestParts, "headers">> & { readonly raw: Uint8Array<ArrayBuffer> } => {
  const encoder = new TextEncoder()
  const pieces = parts.flatMap((part) => [
    encoder.encode(headOf(part)),
    typeof part.value === "string" ? encoder.encode(part.value) : part.value,
    encoder.encode("\r\n"),
  ])
  pieces.push(encoder.encode(`--${boundary}--\r\n`))
  const raw = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let offset = 0
  for (const piece of pieces) {
    raw.set(piece, offset)
    offset += piece.length
  }
  const headers = {
    "content-type": `multipart/form-data; boundary=${boundary}`,
    // A server in this process is handed the request without a socket, which would add it.
    "content-length": String(raw.length),
  }
  return { headers, raw }
}
