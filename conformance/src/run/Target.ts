import { type Clock, realClock, virtualClock } from "../control/Clock.ts"
import { Control, ControlFailure } from "../control/Control.ts"
import { Client } from "../http/Client.ts"
import { NoAnswer, type Transport, Wire } from "../http/Wire.ts"
import { type Capabilities, httpOnly, readCapabilities } from "./Capabilities.ts"

/** The server cannot be judged: it does not answer, or not to the key that was given. */
export class Unreachable extends Error {
  override readonly name = "Unreachable"
}

/** Where the server under test is, and how it is driven. */
export interface TargetOptions {
  readonly baseUrl: string
  readonly key: string
  readonly controlUrl: string | undefined
  readonly controlToken: string | undefined
}

/** A server under test whose capabilities are known. */
export interface Target {
  readonly offered: Capabilities
  /** Requests to `/v2` with the key of the run, over a wire of the caller's. */
  readonly client: (wire: Wire) => Client
  readonly control: (wire: Wire) => Control | undefined
  /** The clock of the control surface; real time where there is none. */
  readonly clock: (wire: Wire) => Clock
  /** Puts the clock back into the mode in which it was found. */
  readonly release: () => Promise<void>
}

/** Where `/v2` begins. */
export const rootOf = (baseUrl: string): string => baseUrl.replace(/\/+$/, "").replace(/\/v2$/, "")

const capabilitiesOf = async (control: Control): Promise<Capabilities> => {
  const answer = await control.send("GET", "/capabilities").catch((error: unknown) => {
    throw error instanceof ControlFailure ? new Unreachable(error.message) : error
  })
  const offered = answer.succeeded ? readCapabilities(answer.json) : undefined
  if (offered === undefined) {
    throw new Unreachable(
      `GET /_sim/capabilities answered ${answer.status} and does not speak version 1 of the contract`,
    )
  }
  return offered
}

const greet = async (client: Client): Promise<void> => {
  const me = await client.get("/v2/user/me").catch((error: unknown) => {
    throw error instanceof NoAnswer ? new Unreachable(error.message) : error
  })
  if (me.status === 401) throw new Unreachable("the server does not know the key of this run (401)")
}

/** Finds out what the server under test offers, and takes its clock in hand where it has one. */
export const openTarget = async (options: TargetOptions, transport: Transport): Promise<Target> => {
  const wire = new Wire(transport)
  const root = rootOf(options.baseUrl)
  const client = (over: Wire) => new Client(over, root, options.key)
  const { controlUrl, controlToken } = options
  if (controlUrl === undefined) {
    await greet(client(wire))
    return {
      offered: httpOnly,
      client,
      control: () => undefined,
      clock: () => realClock(transport.sleep),
      release: async () => {},
    }
  }

  const control = (over: Wire) => new Control(over, controlUrl, controlToken)
  const offered = await capabilitiesOf(control(wire))
  if (!offered.has("fixtures")) await greet(client(wire))
  if (!offered.has("clock")) {
    const clock = () => realClock(transport.sleep)
    return { offered, client, control, clock, release: async () => {} }
  }
  const found = await control(wire).ask("GET", "/clock")
  await control(wire).ask("PUT", "/clock", { mode: "manual" })
  return {
    offered,
    client,
    control,
    clock: (over) => virtualClock(control(over)),
    release: async () => {
      const { mode, speed } = found
      if (mode === "manual") return
      const back = mode === "scaled" ? { mode, speed } : { mode }
      // The run is over: a clock that cannot be given back changes nothing of what was found.
      await control(wire).send("PUT", "/clock", back)
    },
  }
}
