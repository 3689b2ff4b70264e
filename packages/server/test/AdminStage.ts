import { Carillon } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import { assert } from "vitest"
import { adminCommands } from "../src/admin/Commands.ts"
import { Words } from "../src/admin/Words.ts"

/** An installation that calls nobody. */
export const installation = () =>
  Carillon.inMemory({
    carrier: {
      dial: async () => ({ _tag: "Unknown" }),
      hangup: async () => "Sent",
      find: async () => ({ _tag: "NoAnswer" }),
    },
    metrics: false,
    takesWork: false,
  })

/** Runs a command by its name; arguments are separated by spaces. */
export const command = (
  name: string,
  carillon: Carillon,
  given: string,
  options: Record<string, Array<string>> = {},
) => {
  const found = adminCommands.find((each) => each.name === name)
  assert(found !== undefined)
  return found.run(new Words(given === "" ? [] : given.split(" "), options), carillon)
}

/** Asks the API as the holder of a key. */
export const asker = (carillon: Carillon, key: string) => {
  const ask = webHandler(carillon.handle)
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  return async (
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
    const request = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) }
    const answer = await ask(new Request(`http://host${path}`, request))
    return { status: answer.status, body: Object(await answer.json()) }
  }
}
