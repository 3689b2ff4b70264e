import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { type Contender, type Round, type Scale, type Scenario, sized } from "../Harness.ts"
import { plain } from "./VirtualTime.ts"

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The seeds of a round: always the same worlds. */
const firstSeed = 1

/** What the soak says at its end. It ends with 1 where a goal was not reached, which a few worlds never do. */
const read = (said: string): Round => {
  const [, worlds, events] = /^(\d+) worlds .*, (\d+) events/m.exec(said) ?? []
  const failed = /^(\d+) worlds with faults/m.exec(said)?.[1]
  const took = /^took (\d+) of (\d+) ms$/m.exec(said)
  if (worlds === undefined || failed === undefined || took === null) throw new Error(`The soak failed:\n${said}`)
  const [, cpuMs, wallMs] = took
  return { operations: Number(events), errors: Number(failed), cpuMs: Number(cpuMs), wallMs: Number(wallMs) }
}

export const soakName = "worlds of the soak"

/** Random worlds with faults, crashes and interleavings, judged by all laws, in a process of their own; its start is counted. */
const worlds = (scale: Scale): Contender => {
  const seeds = sized(scale, 1, 40)
  return {
    name: soakName,
    asItIs: true,
    round: async () => {
      const file = fileOf("../../../simulator/soak/main.ts")
      const argv = ["--conditions=@carillon/source", "--import", fileOf("../away/TellsAtExit.ts"), file]
      const child = spawn(process.execPath, [...argv, "--seeds", `${seeds}`, "--first", `${firstSeed}`], {
        stdio: ["ignore", "pipe", "inherit"],
      })
      let said = ""
      child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
      await once(child, "close")
      return read(said)
    },
  }
}

export const soak: Scenario = {
  name: "soak",
  question: "How many events a second does the soak get through, every world judged by every law?",
  comparisons: function* (scale) {
    const yardstick = plain(sized(scale, 1_000, 100_000))
    yield { title: "events of random worlds", reference: yardstick.name, contenders: [worlds(scale), yardstick] }
  },
}
