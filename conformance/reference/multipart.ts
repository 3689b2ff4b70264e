import { malformed } from "./errors.ts"

/** One part of a form. */
export interface Part {
  readonly name: string
  readonly filename: string | null
  readonly bytes: Buffer
}

/** More parts than any form of ours has. */
const maxParts = 1_000

const boundaryOf = (type: string): string => {
  const [, quotedOne, bare] =
    /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(type) ?? []
  const boundary = quotedOne ?? bare
  if (boundary === undefined) throw malformed("The request body must be sent as multipart/form-data.")
  return boundary
}

const parameter = (disposition: string, name: string): string | null => {
  const [, value] = new RegExp(`;\\s*${name}="([^"]*)"`, "i").exec(disposition) ?? []
  return value === undefined ? null : Buffer.from(value, "latin1").toString()
}

const partOf = (bytes: Buffer): Part => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) throw malformed("A part of the form has no header.")
  const header = bytes.subarray(0, end).toString("latin1")
  const [disposition] = /^content-disposition:.*$/im.exec(header) ?? []
  const name = disposition === undefined ? null : parameter(disposition, "name")
  if (disposition === undefined || name === null) throw malformed("A part of the form has no name.")
  return { name, filename: parameter(disposition, "filename"), bytes: bytes.subarray(end + 4) }
}

/** The parts of a form (RFC 7578), in their order. */
export const readParts = (body: Buffer, type: string): Array<Part> => {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(type)}`)
  const whole = Buffer.concat([Buffer.from("\r\n"), body])
  const parts: Array<Part> = []
  let at = whole.indexOf(delimiter)
  if (at < 0) throw malformed("The form has no parts.")
  for (;;) {
    const start = at + delimiter.length
    if (whole.subarray(start, start + 2).toString() === "--") return parts
    const next = whole.indexOf(delimiter, start)
    if (next < 0 || parts.length === maxParts) throw malformed("The form does not end.")
    parts.push(partOf(whole.subarray(start + 2, next)))
    at = next
  }
}
