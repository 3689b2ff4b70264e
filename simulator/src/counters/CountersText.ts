import { isStorageText, type StorageText } from "../storage/StorageText.ts"

/** Where lines and request rates are counted, as it is written on the command line: in memory, on Redis, or beside the rows. */
export type CountersText = StorageText | `redis://${string}` | `rediss://${string}`

/** Whether a text names a Redis server. */
export const isRedisText = (text: string): text is `redis://${string}` | `rediss://${string}` =>
  /^rediss?:\/\/.+/s.test(text) && URL.canParse(text) && /^\/?\d*$/.test(new URL(text).pathname)

/** Whether a text says where is counted, given where the rows are kept. */
export const isCountersText = (text: string, storage: StorageText): text is CountersText =>
  text === "memory:" || isRedisText(text) || (isStorageText(text) && text === storage)

/** The same without what must not be shown: user and password. */
export const shownCounters = (text: CountersText): string =>
  text.replace(/^(rediss?:\/\/|postgres(?:ql)?:\/\/)[^/]*@/, "$1")
