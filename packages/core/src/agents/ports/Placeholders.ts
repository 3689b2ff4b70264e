import { Effect } from "effect"
import { nextTurn } from "../../engine/ports/Pacing.ts"
import { isJsonObject, type Json } from "../../Json.ts"
import type { AgentSettings } from "../rules/Agent.ts"

const token = /\{([\p{L}_][\p{L}\p{Nd}_]*)\}/gu

/** Adds every text inside a JSON value, in order. */
const addTexts = (value: Json, texts: Array<string>): void => {
  if (typeof value === "string") texts.push(value)
  else if (isJsonObject(value)) for (const held of Object.values(value)) addTexts(held, texts)
}

/** Characters that are looked at at a time. Few, because each third of them may end a placeholder. */
const pieceCharacters = 16 * 1024
/** Characters that are looked at, of one agent or of several, before others get their turn. */
const turnCharacters = 8 * 1024

/** Where the piece of a text ends that begins at an offset: nothing that could be a placeholder lies on both sides. */
const endOfPiece = (text: string, from: number, size: number): number => {
  const end = from + size
  if (end >= text.length) return text.length
  const last = text.slice(from, end).lastIndexOf("{")
  if (last < 0) return end
  if (last > 0) return from + last
  const brace = /[{}]/g
  brace.lastIndex = end
  const found = brace.exec(text)
  if (found === null) return text.length
  return found[0] === "{" ? found.index : found.index + 1
}

/**
 * Finds the names of the `{variables}` that the greeting and the prompts of agents are written with, each once, in order of appearance: in
 * pieces between which others have their turn, whether it is one agent with long prompts or a list of many.
 */
export const placeholderReader = (size = pieceCharacters) => {
  let read = 0
  return Effect.fnUntraced(function* ({
    greeting_message,
    prompts,
  }: Pick<AgentSettings, "greeting_message" | "prompts">): Effect.fn.Return<ReadonlyArray<string>> {
    const texts = [greeting_message ?? ""]
    addTexts(prompts, texts)
    // No name has a line end, so none is made by putting the texts together.
    const text = texts.join("\n")
    const names = new Set<string>()
    for (let from = 0; from < text.length;) {
      const end = endOfPiece(text, from, size)
      read += end - from
      if (read > turnCharacters) {
        read = end - from
        yield* nextTurn
      }
      for (const [, name = ""] of text.slice(from, end).matchAll(token)) names.add(name)
      from = end
    }
    return [...names]
  })
}
