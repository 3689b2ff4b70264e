/**
 * Whole runs over HTTP against one simulator, each in a process of its own: so many at once, so many times.
 * `npm run node -- conformance/test/run/whole.ts --together 2 --times 5`
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { together: { type: "string", default: "1" }, times: { type: "string", default: "1" } },
})

/** A program on the sources, with this process's options of Node. */
const started = (file: string, args: ReadonlyArray<string>) =>
  spawn(process.execPath, [...process.execArgv, new URL(file, import.meta.url).pathname, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  })

const server = started("../../../simulator/src/main.ts", ["--port", "0", "--clock", "manual", "--print", "json"])
const [line] = await once(createInterface({ input: server.stdout }), "line")
const { key, url }: { readonly key: string; readonly url: string } = JSON.parse(String(line))
const target = ["--base-url", url, "--control-url", url, "--key", key, "--profile", "carillon"]

/** Judges the server once, and prints how it ended and how long it took from the start of its process. */
const judge = async (name: string): Promise<boolean> => {
  const began = performance.now()
  const run = started("../../src/main.ts", ["run", ...target])
  const said: Array<string> = []
  createInterface({ input: run.stdout }).on("line", (text) => said.push(text))
  const [status] = await once(run, "close")
  console.log(`${name}: exit ${String(status)} after ${Math.round((performance.now() - began) / 1_000)} s`)
  if (status !== 0) console.log(said.join("\n"))
  return status === 0
}

let green = 0
const [together, times] = [Number(values.together), Number(values.times)]
for (let time = 1; time <= times; time++) {
  const names = Array.from({ length: together }, (_, nth) => `${time}.${nth + 1}`)
  green += (await Promise.all(names.map(judge))).filter(Boolean).length
}
server.kill()
console.log(`${green} of ${together * times} runs are green`)
process.exitCode = green === together * times ? 0 : 1
