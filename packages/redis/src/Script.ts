import { createHash } from "node:crypto"

/** A Lua script and the digest under which Redis remembers it. */
export interface Script {
  /** What it does, in a word. */
  readonly name: string
  readonly lua: string
  readonly sha1: string
}

export const script = (name: string, ...parts: ReadonlyArray<string>): Script => {
  const lua = parts.join("\n")
  return { name, lua, sha1: createHash("sha1").update(lua).digest("hex") }
}
