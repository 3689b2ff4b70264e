import { readFileSync } from "node:fs"
import { createContext, runInContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { Simulator } from "@carillon/simulator"
import { type BuildOptions, build } from "esbuild"
import { assert, describe, it } from "vitest"

const entry = (name: string) => JSON.stringify(new URL(`../src/${name}.ts`, import.meta.url).pathname)

/** Bundles as for a browser: anything of Node in it would fail. */
const bundle = async (contents: string, options: BuildOptions = {}) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    conditions: ["@carillon/source"],
    logLevel: "error",
    ...options,
    metafile: true,
    write: false,
  })
  const [output] = outputFiles
  assert.isDefined(output)
  return { bytes: output.contents, text: output.text, inputs: Object.keys(metafile.inputs) }
}

const inEffect = `
  import { Effect, Layer, Redacted } from "effect"
  import { FetchHttpClient } from "effect/http"
  import { CarillonClient } from ${entry("effect")}
  export const me = (baseUrl, key) =>
    CarillonClient.use((client) => client.identity.me()).pipe(
      Effect.provide(Layer.provide(CarillonClient.layer({ baseUrl, key: Redacted.make(key) }), FetchHttpClient.layer)),
      Effect.runPromise,
    )`

const inPromises = `
  import { createClient } from ${entry("promise")}
  export const me = (baseUrl, key) => createClient({ baseUrl, key }).identity.me()`

const script = { format: "iife", globalName: "made" } as const
const promises = bundle(inPromises, script)
const effects = bundle(inEffect, script)

/** What is measured, in the order of the README's table. */
const weighed = [
  promises,
  bundle(`export { webhookReceiver } from ${entry("webhooks")}`),
  bundle(`export * from ${entry("index")}`),
  bundle(`export { CarillonClient } from ${entry("effect")}`, { external: ["effect", "effect/*"] }),
  effects,
]

/** How far a figure of the table may be from what is measured: smaller changes are not worth a line in a README. */
const tolerance = 0.1

const table = [
  ...readFileSync(new URL("../README.md", import.meta.url), "utf8").matchAll(
    /^\| `@carillon\/client[^|]*\|[^|]*\| ([\d.]+) \| ([\d.]+) \|$/gm,
  ),
].map(([, minified, zipped]) => [Number(minified), Number(zipped)])

/** What browsers, workers, Deno and Bun have as Node has it, and the language's own buffers, which its answers are made of; nothing else. */
const everywhere = () => ({
  AbortController,
  AbortSignal,
  ArrayBuffer,
  FormData,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  Uint8Array,
  clearTimeout,
  crypto,
  performance,
  queueMicrotask,
  setTimeout,
})

describe("what is imported", () => {
  it("weighs what the README says", async () => {
    assert.lengthOf(table, weighed.length)
    for (const [index, bundled] of weighed.entries()) {
      const { bytes } = await bundled
      const measured = [bytes.length / 1000, gzipSync(bytes, { level: 9 }).length / 1000]
      for (const [column, size] of measured.entries()) {
        const told = table[index]?.[column] ?? 0
        assert.closeTo(
          told,
          size,
          size * tolerance,
          `row ${index + 1} of the table, which is ${measured.map((kb) => kb.toFixed(1))}`,
        )
      }
    }
  })

  it("is no other package where only promises are", async () => {
    const { inputs } = await promises
    const foreign = inputs.filter((path) => !/(^|\/)(packages\/client\/)src\/[^/]+$/.test(path) && path !== "<stdin>")
    assert.deepStrictEqual(foreign, [])
  })

  it.each([
    ["promises", promises],
    ["Effect", effects],
  ])("runs in %s where there is nothing of Node", async (_, bundled) => {
    await using simulator = await Simulator.start({ clock: "manual" })
    const { key, organization_id } = simulator.info
    const fetch = (input: string | URL | Request, init?: RequestInit) => simulator.fetch(new Request(input, init))
    const world = createContext({ ...everywhere(), fetch, key })
    runInContext((await bundled).text, world)
    const me: { readonly organization_id: string } = await runInContext(`made.me("http://carillon.test", key)`, world)
    assert.strictEqual(me.organization_id, organization_id)
  })
})

describe("the contract", () => {
  it("loads without the documents that are made of it, and their examples", async () => {
    const { inputs } = await bundle(`export * from "@carillon/api"`)
    assert.isNotEmpty(inputs.filter((input) => input.endsWith("packages/api/src/Calls.ts")))
    assert.deepStrictEqual(
      inputs.filter((input) => /packages\/api\/src\/(ExampleData|OpenApi|AsyncApi|ReferencePage)\.ts$/.test(input)),
      [],
    )
    const documents = await bundle(`export * from "@carillon/api/documents"`, { external: ["effect", "effect/*"] })
    assert.isNotEmpty(documents.inputs.filter((input) => input.endsWith("/ExampleData.ts")))
  })
})
