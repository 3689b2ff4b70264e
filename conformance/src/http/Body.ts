/** Reads the body of an answer, however long the server goes on. */

/** Longest body that is read: a page of a hundred calls with their transcripts is far shorter. */
export const maxBodyBytes = 16 * 1_048_576

/** The body is longer than any answer can be. */
class TooLong extends Error {
  override readonly name = "TooLong"

  constructor() {
    super(`the body is longer than ${maxBodyBytes} bytes`)
  }
}

/** What a promise gives, or a rejection as soon as the signal ends: not every server in a process heeds the signal itself. */
export const before = <T>(ending: AbortSignal, promise: Promise<T>): Promise<T> => {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = () => reject(ending.reason)
  if (ending.aborted) end()
  ending.addEventListener("abort", end)
  return Promise.race([promise, ended]).finally(() => ending.removeEventListener("abort", end))
}

/** The text of a body; rejects with `TooLong` as soon as it has too many bytes, and when the signal ends. */
export const readBody = async (response: Response, ending: AbortSignal): Promise<string> => {
  if (response.body === null) return ""
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  try {
    let text = ""
    for (let bytes = 0; ;) {
      const { done, value } = await before(ending, reader.read())
      if (done) return text + decoder.decode()
      bytes += value.byteLength
      if (bytes > maxBodyBytes) throw new TooLong()
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    // Nobody waits for the rest of a body that is given up: it may have no end, and its cancelling may fail as it did.
    void reader.cancel().catch(() => {})
    throw error
  }
}
