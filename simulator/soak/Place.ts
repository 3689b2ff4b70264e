/** An organization of a world of the soak, with everything in it that has an id. */
export interface Place {
  readonly organization_id: string
  readonly key: string
  readonly key_id: string
  /** Of a key that may read and do nothing else. */
  readonly readKey: string
  readonly numbers: ReadonlyArray<string>
  readonly agents: Array<string>
  readonly calls: Array<string>
  readonly campaigns: Array<string>
  readonly batches: Array<string>
  readonly subscriptions: Array<string>
  readonly experiments: Array<{ readonly agent: string; readonly version: string }>
  readonly phoneNumbers: Array<string>
}
