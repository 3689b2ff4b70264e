import type { Verdict } from "./Fate.ts"
import type { Asked } from "./Parameters.ts"

/** The method of a callback; POST where nothing is said. */
export const methodOf = (asked: Asked, name: string): "GET" | "POST" => (asked.text(name) === "GET" ? "GET" : "POST")

const isAmong = <Word extends string>(words: ReadonlyArray<Word>, text: string): text is Word =>
  words.some((word) => word === text)

/** The words that were asked for; several may stand in one value, with spaces between them, where `isSplit`. */
export const wordsOf = <Word extends string>(
  asked: Asked,
  name: string,
  words: ReadonlyArray<Word>,
  isSplit: boolean,
) => {
  const given = asked.texts(name).flatMap((text) => (isSplit ? text.split(" ") : [text]))
  return {
    words: given.filter((word) => isAmong(words, word)),
    wrong: given.filter((word) => !isAmong(words, word)),
    given: given.length,
  }
}

/** What the detection finds, in the words of its mode: only `DetectMessageEnd` hears how a greeting ends. */
export const heard = (mode: string, verdict: Verdict): Verdict => {
  if (mode === "Enable" && verdict.startsWith("machine_end")) return "machine_start"
  return mode === "DetectMessageEnd" && verdict === "machine_start" ? "machine_end_other" : verdict
}
