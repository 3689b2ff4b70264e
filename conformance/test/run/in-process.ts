/**
 * A whole run against a simulator in one process, timed from the start of the simulator.
 * `npm run node -- conformance/test/run/in-process.ts`
 */
import { Simulator } from "@carillon/simulator"
import { cpus, loadavg } from "node:os"
import { runConformance } from "../../src/run/Conformance.ts"

const began = performance.now()
const simulator = await Simulator.start({ clock: "manual" })
const { cases, outcome } = await runConformance({
  baseUrl: "http://simulator.test",
  controlUrl: "http://simulator.test",
  key: simulator.info.key,
  fetch: simulator.fetch,
  profile: "carillon",
})
const seconds = (performance.now() - began) / 1_000
await simulator.close()
const { system, user } = process.cpuUsage()
console.log(
  `${outcome}: ${cases.length} cases in ${seconds.toFixed(1)} s, ${((system + user) / 1e6).toFixed(1)} s of processor time; ` +
    `a load of ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`,
)
process.exitCode = outcome === "holds" ? 0 : 1
