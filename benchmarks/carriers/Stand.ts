import type { Leg } from "./Leg.ts"

/** What an engine has to know of its carrier, as its process is told. */
export type CarrierSettings =
  | { readonly carrier: "twilio"; readonly url: string; readonly accountSid: string; readonly authToken: string }
  | {
      readonly carrier: "telnyx"
      readonly url: string
      readonly apiKey: string
      readonly publicKey: string
      readonly connectionId: string
    }
  | {
      readonly carrier: "livekit"
      readonly url: string
      readonly apiKey: string
      readonly apiSecret: string
      readonly trunkId: string
    }

export const carrierNames = ["twilio", "telnyx", "livekit"] as const
export type CarrierName = (typeof carrierNames)[number]

/** The number that every call comes from. */
export const callerId = "+12125550100"

/** A carrier's stand-in, on a port of this process, with what its judge needs. */
export interface Stand {
  readonly settings: CarrierSettings
  /** Every leg that there ever was, as it is now. */
  readonly legs: () => ReadonlyArray<Leg>
  /** What a host did that the carrier would complain of, beside what the faults and the kills do to it. */
  readonly complaints: () => ReadonlyArray<string>
  readonly close: () => Promise<void>
}

export interface StandOptions {
  readonly seed: string
  /** Where the engine listens. */
  readonly engine: string
  /** The share of answers that are lost, and of callbacks that are lost and that come twice, each. */
  readonly share: number
  readonly tally: Tally
}

/** Counts what was drawn, and of how many. */
export class Tally {
  readonly counts: Record<string, number> = {}

  add(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1
  }

  /** The same, with each occasion counted, and each fault by its name. */
  counted<Occasion, Fault extends string>(
    name: string,
    ask: (occasion: Occasion) => Fault | null,
  ): (occasion: Occasion) => Fault | null {
    return (occasion) => {
      const fault = ask(occasion)
      this.add(`${name}s`)
      if (fault !== null) this.add(`${name} ${fault}`)
      return fault
    }
  }
}
