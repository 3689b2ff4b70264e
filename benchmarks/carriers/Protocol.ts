import type { CarrierSettings } from "./Stand.ts"

/** What an engine's process is started with. */
export interface EngineSettings {
  readonly postgres: string
  /** The same port after each start: the carrier goes on calling it. */
  readonly port: number
  readonly carrier: CarrierSettings
}

export type ToEngine =
  | { readonly type: "open"; readonly lines: number; readonly balance: number }
  | { readonly type: "show"; readonly organization_id: string }
  /** Asks the carrier for costs that a dead process took with it; `from` is epoch milliseconds. */
  | { readonly type: "settle"; readonly organization_id: string; readonly from: number }

export type FromEngine =
  | { readonly type: "listening" }
  | { readonly type: "opened"; readonly organization_id: string; readonly key: string; readonly agent_id: string }
  /** `lines`: those of the organization that are in use. */
  | { readonly type: "shown"; readonly lines: number; readonly balance: number }
  | { readonly type: "settled"; readonly count: number }
  | { readonly type: "failed"; readonly message: string }
