import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { plants } from "./Plants.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    seeds: { type: "string", default: "400" },
    first: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    part: { type: "string", default: "1/1" },
  },
})

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Soaks an engine with a bug in it until it is found; what was found, in one line. */
const soak = async (plant: string): Promise<string> => {
  const args = ["--conditions=@carillon/source", "--import", fileOf("Planting.ts"), fileOf("main.ts")]
  const soaking = spawn(
    process.execPath,
    [...args, "--until-fault", "--first", values.first, "--minutes", values.minutes, "--seeds", values.seeds],
    { env: { ...process.env, PLANT: plant }, stdio: ["ignore", "pipe", "inherit"] },
  )
  const [said] = await Promise.all([text(soaking.stdout), once(soaking, "close")])
  return said.trim().split("\n").at(-1) ?? ""
}

const [part = 1, parts = 1] = values.part.split("/").map(Number)
const mine = plants.filter(({ name }, nth) => name.includes(values.only) && nth % parts === part - 1)

let missed = 0
for (const { name } of mine) {
  const said = await soak(name)
  if (!said.startsWith("found")) missed += 1
  process.stdout.write(`${name}: ${said}\n`)
}
process.exit(missed === 0 ? 0 : 1)
