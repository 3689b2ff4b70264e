import type { Pace } from "./Carrier.ts"
import { Member } from "./Member.ts"
import type { CarrierLook, Expectations, Gap, LegRecord } from "./Protocol.ts"

/** The carrier's process as the one who runs the fleet knows it. */
export class CarrierProcess {
  readonly #member: Member

  private constructor(member: Member) {
    this.#member = member
  }

  static async open(pace: Pace): Promise<CarrierProcess> {
    const member = new Member("carrier", "CarrierServer.ts", ["--pace", JSON.stringify(pace)], () => undefined)
    return new CarrierProcess(await member.listening())
  }

  get url(): string {
    return this.#member.url
  }

  /** What it has seen so far. */
  readonly look = (): Promise<CarrierLook> => this.#ask("/look")
  readonly gaps = (since: number): Promise<ReadonlyArray<Gap>> => this.#ask(`/gaps?since=${since}`)
  readonly legs = (): Promise<ReadonlyArray<LegRecord>> => this.#ask("/legs")
  readonly hooks = (): Promise<ReadonlyArray<{ event: string; changed: boolean; count: number }>> => this.#ask("/hooks")
  readonly expect = (expected: Expectations): Promise<unknown> => this.#ask("/expect", expected)
  /** Says which engines take its reports. */
  readonly reportTo = (engines: ReadonlyArray<string>): Promise<unknown> => this.#ask("/engines", engines)
  readonly close = () => this.#member.end("SIGKILL")

  readonly #ask = async (path: string, body?: unknown) => {
    const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    return JSON.parse(await (await fetch(`${this.#member.url}${path}`, request)).text())
  }
}
