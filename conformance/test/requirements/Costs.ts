import { Simulator } from "@carillon/simulator"
import { bucketOf } from "../../src/http/Route.ts"
import type { Case } from "../../src/run/Case.ts"
import { runConformance } from "../../src/run/Conformance.ts"
import type { Requests } from "../../src/run/Requests.ts"

/** How many requests each of some cases of plain HTTP sends to a server that keeps everything, by bucket. */
export const requestsByCase = async (some: ReadonlyArray<Case>): Promise<ReadonlyMap<string, Requests>> => {
  const found = new Map<string, Requests>()
  const simulator = await Simulator.start({ clock: "realtime" })
  let sent: Record<string, number> = {}
  const ofRun = { baseUrl: "http://simulator.test", key: simulator.info.key, profile: "carillon" } as const
  await runConformance({
    ...ofRun,
    cases: some,
    fetch: (request) => {
      const bucket = bucketOf(request.method, new URL(request.url).pathname)
      sent[bucket] = (sent[bucket] ?? 0) + 1
      return simulator.fetch(request)
    },
    onCase: ({ id }) => {
      found.set(id, sent)
      sent = {}
    },
  })
  await simulator.close()
  return found
}
