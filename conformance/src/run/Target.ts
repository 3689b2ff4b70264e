import { type Clock, realClock, virtualClock } from "../control/Clock.ts"
import type { Company } from "../control/Company.ts"
import { Control, ControlFailure } from "../control/Control.ts"
import { takeTurn, type Turn } from "../control/Turn.ts"
import { Client } from "../http/Client.ts"
import type { JsonObject } from "../http/Json.ts"
import type { Bucket } from "../http/Route.ts"
import { NoAnswer, type Transport, Wire } from "../http/Wire.ts"
import { ceilingsIn } from "./Forecast.ts"
import { type Capabilities, type Capability, httpOnly, readCapabilities } from "./Capabilities.ts"

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
  readonly nonce: string
  /** Numbers that may really be rung. */
  readonly to: ReadonlyArray<string>
  /** Told of another run that is waited for. */
  readonly onWait: (nonce: string) => void
}

/** A server under test whose capabilities are known. */
export interface Target {
  /** Requests per minute that its organization may send, by bucket. */
  readonly ceilings: Readonly<Record<Bucket, number>>
  readonly offered: Capabilities
  /** Why extensions that the run asked for are not offered. */
  readonly withheld?: ReadonlyMap<Capability, string>
  /** Requests to `/v2` with the key of the run, over a wire of the caller's. */
  readonly client: (wire: Wire) => Client
  readonly control: (wire: Wire, company?: Company) => Control | undefined
  /** The clock of the control surface; real time where there is none. */
  readonly clock: (wire: Wire, company?: Company) => Clock
  /** Tells other runs on the same server that this one goes on. */
  readonly beat: () => Promise<void>
  /** True when the server still answers, within so much real time, whatever it says. */
  readonly answers: (limitMs: number) => Promise<boolean>
  /** Puts the clock back into the mode in which it was found, and lets the next run begin. */
  readonly release: () => Promise<void>
}

/** Where `/v2` begins. */
export const rootOf = (baseUrl: string): string => baseUrl.replace(/\/+$/, "").replace(/\/v2$/, "")

/** Somebody can be rung where the run was given a number, or the carrier knows numbers that are nobody's. */
const withRecipient = (offered: Capabilities, to: ReadonlyArray<string>): Capabilities =>
  to.length > 0 || offered.has("magic") ? new Set<Capability>([...offered, "recipient"]) : offered

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

/** Takes the clock in hand, and says how it was found. */
const takeClock = async (control: Control): Promise<JsonObject> => {
  try {
    const found = await control.ask("GET", "/clock")
    await control.ask("PUT", "/clock", { mode: "manual" })
    return found
  } catch (error) {
    throw error instanceof ControlFailure ? new Unreachable(`the clock is declared, but ${error.message}`) : error
  }
}

const onlyControlFailure = (error: unknown): void => {
  if (!(error instanceof ControlFailure)) throw error
}

const shared: ReadonlyArray<Capability> = ["clock", "telephony", "platform", "dns"]

/** The turn of this run on a surface that runs share; nothing to wait for where there is none, or no place to queue. */
const turnOf = (offered: Capabilities, parts: Parameters<typeof takeTurn>[0]): Promise<Turn> | undefined =>
  offered.has("fixtures") && offered.has("inbox") && shared.some((each) => offered.has(each))
    ? takeTurn(parts)
    : undefined

/** Asks who the key is; the ceilings of its organization. */
const greet = async (client: Client): Promise<Target["ceilings"]> => {
  const me = await client.get("/v2/user/me").catch((error: unknown) => {
    throw error instanceof NoAnswer ? new Unreachable(error.message) : error
  })
  if (me.status === 401) throw new Unreachable("the server does not know the key of this run (401)")
  return ceilingsIn(me.at("rate_limits"))
}

/** Finds out what the server under test offers, and takes its clock in hand where it has one. */
export const openTarget = async (options: TargetOptions, transport: Transport): Promise<Target> => {
  const wire = new Wire(transport)
  // What is taken is given back when the run was ended early, too.
  const { signal: _ended, ...untilTheEnd } = transport
  const lastWire = new Wire(untilTheEnd)
  const root = rootOf(options.baseUrl)
  const client = (over: Wire) => new Client(over, root, options.key)
  const { controlUrl, controlToken } = options
  const answers = (limitMs: number) =>
    client(new Wire({ ...transport, timeoutMs: limitMs }))
      .get("/v2/user/me")
      .then(
        () => true,
        () => false,
      )
  if (controlUrl === undefined) {
    const ceilings = await greet(client(wire))
    return {
      ceilings,
      offered: withRecipient(httpOnly, options.to),
      client,
      control: () => undefined,
      clock: () => realClock(transport.sleep),
      beat: async () => {},
      answers,
      release: async () => {},
    }
  }

  const control = (over: Wire, company?: Company) => new Control(over, controlUrl, controlToken, company)
  const offered = withRecipient(await capabilitiesOf(control(wire)), options.to)
  const ceilings = offered.has("fixtures") ? ceilingsIn(undefined) : await greet(client(wire))
  const { nonce, onWait } = options
  const turn = await turnOf(offered, {
    control: control(wire),
    wire,
    lastWire,
    root,
    nonce,
    onWait,
    sleep: transport.sleep,
  })
  const beat = async () => turn?.beat()
  if (!offered.has("clock")) {
    const clock = () => realClock(transport.sleep)
    return { ceilings, offered, client, control, clock, beat, answers, release: async () => turn?.giveBack() }
  }
  const found = await takeClock(control(wire)).catch(async (error: unknown) => {
    await turn?.giveBack()
    throw error
  })
  return {
    ceilings,
    offered,
    client,
    control,
    clock: (over, company) => virtualClock(control(over, company)),
    beat,
    answers,
    release: async () => {
      const { mode, speed } = found
      const back = mode === "scaled" ? { mode, speed } : { mode }
      // The run is over: a clock that cannot be given back changes nothing of what was found.
      if (mode !== "manual") await control(lastWire).send("PUT", "/clock", back).catch(onlyControlFailure)
      await turn?.giveBack()
    },
  }
}
