/** Tells apart who is to blame when no answer comes: the server under test, or the machine that runs the suite. */

/** This machine could not even ask; what it would have found out about the server is unknown. */
export class HarnessTrouble extends Error {
  override readonly name = "HarnessTrouble"
}

/** What this machine lacks: descriptors, memory, ports, a resolver that answers. */
const local = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL", "EAI_AGAIN"])

/** How a connection ends that the other side had closed while it lay idle. */
const dropped = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ECONNABORTED"])

const codesOf = (error: unknown): ReadonlyArray<string> => {
  if (!(error instanceof Error)) return []
  const own = "code" in error ? [String(error.code)] : []
  return [...own, ...codesOf(error.cause)]
}

/** True when the fault lies with this machine. */
export const isLocal = (error: unknown): boolean => codesOf(error).some((code) => local.has(code))

/** True when the connection broke: a request that changes nothing may be sent once more. */
export const isDropped = (error: unknown): boolean => codesOf(error).some((code) => dropped.has(code))

/** Why no answer came, in few words. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof Broken) return error.message
  const { cause } = error
  return codesOf(error)[0] ?? (cause instanceof Error ? cause.message : error.message)
}

const safe = new Set(["GET", "HEAD", "OPTIONS"])

/** True for a method that changes nothing, however often it is sent (RFC 9110, 9.2.1). */
export const isSafe = (method: string): boolean => safe.has(method)

/** The connection broke before the body had gone out, and no answer had come. */
export class Broken extends Error {
  override readonly name = "Broken"

  constructor(sent: number, of: number, cause: unknown) {
    super(`the connection broke (${reasonOf(cause)}) when ${sent} of ${of} bytes were sent, and no answer came`, {
      cause,
    })
  }
}
