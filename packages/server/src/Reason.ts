/** Errors behind an error that are told. */
const causesTold = 5

/** What an error of the engine says of itself where it has no message. */
const wordsOf = (error: Error): string => {
  if (error.message !== "") return error.message
  if ("field" in error && "reason" in error) return `${String(error.field)}: ${String(error.reason)}`
  return "dependency" in error ? `${error.name}: ${String(error.dependency)}` : error.name
}

/** What an error says, and what the errors behind it say. */
export const reasonOf = (error: unknown): string => {
  const told: Array<string> = []
  for (let at = error; at instanceof Error && told.length < causesTold; at = at.cause) {
    const words = wordsOf(at)
    if (!told.includes(words)) told.push(words)
  }
  return told.length === 0 ? String(error) : told.join(": ")
}
