import { Carriers, Telephony } from "@carillon/core"
import type { AgentStore, CallStore } from "@carillon/core/ports"
import type { Carillon } from "@carillon/http"
import { Effect, Layer } from "effect"
import type { Settings } from "../settings/Settings.ts"
import type { Callbacks, MadeCarrier } from "./CarrierKind.ts"
import { chooser } from "./Routing.ts"

/** The carriers of a server as one port, and what takes the callbacks of all of them. */
export interface ServerCarriers {
  readonly port: Layer.Layer<Telephony, never, CallStore | AgentStore>
  readonly callbacks: (carillon: Pick<Carillon, "report">) => Callbacks
}

/** A carrier that its adapter cannot work with; the message names the carrier. */
export class WrongCarrier extends Error {}

/** Rings nobody, and knows of nobody whom others rang. */
const nobody = Layer.succeed(Telephony, {
  dial: () => Effect.succeed({ _tag: "Refused", kind: "unreachable" }),
  hangup: () => Effect.succeed("Refused"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})

/** The path of an address, without a slash at its end. */
const pathOf = (address: string): string => new URL(address).pathname.replace(/\/$/, "")

/** Makes the carriers. Throws `WrongCarrier` where one of them cannot be made. */
export const serverCarriers = ({ carriers, publicUrl, routes }: Settings): ServerCarriers => {
  if (carriers.length === 0 || publicUrl === undefined) {
    return { port: nobody, callbacks: () => (_request, _response, next) => next() }
  }
  const made = carriers.map(({ make, name, ...pace }) => {
    const under = `/carriers/${name}`
    const place = { url: `${publicUrl.replace(/\/$/, "")}${under}`, path: `${pathOf(publicUrl)}${under}` }
    return { name, pace, carrier: madeAt(name, () => make(place)) }
  })
  const routed = made.map(({ carrier, name, pace: { callsPerSecond, callsPerSecondOfNumber } }) => [
    name,
    {
      carrier: carrier.port,
      ...(callsPerSecond === undefined ? {} : { callsPerSecond }),
      ...(callsPerSecondOfNumber === undefined ? {} : { callsPerSecondOfNumber }),
    },
  ])
  const names = carriers.map(({ name }) => name)
  return {
    port: Carriers.route<string, never, CallStore | AgentStore>({
      carriers: Object.fromEntries(routed),
      choose: chooser(routes, names),
    }),
    callbacks: ({ report }) =>
      made
        .map(({ carrier }) => carrier.callbacks(report))
        .reduceRight<Callbacks>(
          (after, own) => (request, response, next) => own(request, response, () => after(request, response, next)),
          (_request, _response, next) => next(),
        ),
  }
}

const madeAt = (name: string, make: () => MadeCarrier): MadeCarrier => {
  try {
    return make()
  } catch (error) {
    throw new WrongCarrier(`carrier.${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
