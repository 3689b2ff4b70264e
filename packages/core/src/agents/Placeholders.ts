import { isJsonObject, type Json } from "../Json.ts"
import type { AgentSettings } from "./Agent.ts"

const token = /\{([\p{L}_][\p{L}\p{Nd}_]*)\}/gu

/** Every text inside a JSON value, in order. */
const textsIn = (value: Json): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : []
}

/** The names of the `{variables}` that an agent's greeting and prompts are written with, each once, in order of appearance. */
export const placeholdersOf = ({
  greeting_message,
  prompts,
}: Pick<AgentSettings, "greeting_message" | "prompts">): ReadonlyArray<string> => {
  const names = [greeting_message ?? "", ...textsIn(prompts)].flatMap((text) =>
    [...text.matchAll(token)].map(([, name = ""]) => name),
  )
  return [...new Set(names)]
}
