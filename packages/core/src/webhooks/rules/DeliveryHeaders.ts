import { Result } from "effect"
import { InvalidField, Malformed } from "../../Errors.ts"
import { limits } from "../../Limits.ts"
import { quotable } from "../../phone/E164.ts"

/** Extra headers of a subscription, in order; a list, because a name such as `__proto__` is a header like any other. */
export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>

/** What decisions.md lists ("Webhooks"). A name that is not refused there is the customer's to use. */
const contractNames = [
  "connection",
  "content-length",
  "content-type",
  "cookie",
  "host",
  "te",
  "transfer-encoding",
  "upgrade",
]

/** They belong to the connection or to the framing of the body, as those of the contract do: the process that sends sets them, or cannot send them. */
const connectionNames = ["expect", "keep-alive", "trailer", "trailers"]

const reservedNames: ReadonlySet<string> = new Set([...contractNames, ...connectionNames])

const reservedPrefixes = ["proxy-", "sec-", "x-service-"]

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Printable Latin-1 and tabs: nothing that could end a header line. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

const isReserved = (name: string): boolean =>
  reservedNames.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix))

const malformed = (message: string) => Result.fail(new Malformed({ message }))

/** Reads extra headers, or says why they are refused (decisions.md, "Webhooks"). Values are never quoted: they may be secrets. */
export const parseHeaders = (
  headers: Readonly<Record<string, string>>,
): Result.Result<HeaderList, Malformed | InvalidField> => {
  const list = Object.entries(headers)
  const { bytes, count, nameBytes, valueBytes } = limits.webhookHeaders
  if (list.length > count) return malformed(`A subscription may have at most ${count} headers.`)
  const seen = new Set<string>()
  let all = 0
  for (const [name, value] of list) {
    const lower = name.toLowerCase()
    const quoted = `'${quotable(name)}'`
    if (name.length > nameBytes || !token.test(name)) return malformed(`The header name ${quoted} is not valid.`)
    if (isReserved(lower)) return malformed(`The header ${quoted} is reserved.`)
    if (seen.has(lower)) return malformed(`The header ${quoted} is given twice.`)
    if (value.length > valueBytes || !fieldValue.test(value)) {
      return malformed(`The value of the header ${quoted} is not valid.`)
    }
    seen.add(lower)
    // A letter of Latin-1 is a byte on the wire.
    all += name.length + value.length
  }
  if (all <= bytes) return Result.succeed(list)
  const reason = `must have at most ${bytes} bytes of names and values together`
  return Result.fail(new InvalidField({ field: "headers", reason }))
}
