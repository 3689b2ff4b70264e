/** A file as it arrived. */
export interface SentFile {
  /** What its sender calls it; null where it was sent without a name. */
  readonly name: string | null
  readonly bytes: Uint8Array
}
