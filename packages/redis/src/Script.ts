import { createHash } from "node:crypto"

/** A Lua script and the digest under which Redis remembers it. */
export interface Script {
  readonly lua: string
  readonly sha1: string
}

export const script = (...parts: ReadonlyArray<string>): Script => {
  const lua = parts.join("\n")
  return { lua, sha1: createHash("sha1").update(lua).digest("hex") }
}
