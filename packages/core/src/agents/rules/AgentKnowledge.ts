import type { Json } from "../../Json.ts"
import type { AgentSettings } from "./Agent.ts"

const collectionsPath = ["runtime", "language_model", "knowledge_base_config", "collections"]

/** The names of the knowledge bases that an agent answers from: its own, and those that its language model is given. */
export const knowledgeBasesOf = ({
  configuration,
  knowledge_base,
}: Pick<AgentSettings, "configuration" | "knowledge_base">): ReadonlyArray<string> => {
  let collections: Json | undefined = configuration
  for (const key of collectionsPath) {
    const isObject: boolean = typeof collections === "object" && collections !== null && !Array.isArray(collections)
    collections = isObject ? Reflect.get(Object(collections), key) : undefined
  }
  const named = Array.isArray(collections) ? collections.filter((name): name is string => typeof name === "string") : []
  return knowledge_base === null ? named : [knowledge_base, ...named]
}
