import type { SentFile } from "@carillon/core/domain"

/** Whether a value of a form is a file: no JSON can look like one. */
export const isSentFile = (value: unknown): value is SentFile =>
  value instanceof Object && "bytes" in value && value.bytes instanceof Uint8Array
