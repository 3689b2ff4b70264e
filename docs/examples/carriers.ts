import { Carriers, type PromiseCarrier } from "@carillon/core"
import { Carillon } from "@carillon/http"

/** An engine that calls German numbers with one carrier, all others with another, and each of them with the other one while the first is away. */
export const engineWith = (german: PromiseCarrier, global: PromiseCarrier) =>
  Carillon.inMemory({
    carrier: Carriers.route({
      carriers: {
        german: { carrier: german },
        // Its contract allows ten calls in a second, five on each of its trunks, and one with each caller ID.
        global: {
          carrier: global,
          callsPerSecond: 10,
          callsPerSecondOfNumber: 1,
          pools: { callsPerSecond: 5, of: ({ from_number }) => (from_number?.startsWith("+1") ? "east" : "west") },
        },
      },
      choose: ({ to_number }) => (to_number.startsWith("+49") ? ["german", "global"] : ["global", "german"]),
    }),
  })
