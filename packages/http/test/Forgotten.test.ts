import { join } from "node:path"
import { assert, it } from "vitest"
import { compiled } from "../../../scripts/Compiled.ts"

/** The first words of the compiler's messages on a file of the folder, in their order. */
const messages = (): ReadonlyArray<string> => {
  const { said } = compiled(join(import.meta.dirname, "forgotten"))
  return [...said.matchAll(/^\S.*error TS\d+: (.{0,60})/gm)].map(([, text = ""]) => text)
}

it("names a forgotten port first, the carrier before all, and finds nothing in ports that are whole", () => {
  const named = messages().map((text) => /^Property '(.*)' is missing in type 'Layer</.exec(text)?.[1] ?? text)
  assert.deepStrictEqual(named, ["Telephony", "WebhookTransport", "Telephony", "RateStore", "Line"])
})
