/** A way to bring events to endpoints, started for one round. */
export interface Sender {
  /** Hands over one event for an endpoint. */
  readonly submit: (serial: number, endpoint: number) => void
  readonly close: () => Promise<void>
}

/** Starts a sender that tells of each delivery once it is acknowledged and in its ledger. */
export type StartSender = (urls: ReadonlyArray<string>, delivered: (serial: number) => void) => Promise<Sender>
