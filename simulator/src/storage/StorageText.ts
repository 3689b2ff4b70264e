/** Where the rows are kept, as it is written on the command line. */
export type StorageText = "memory:" | `pglite:${string}` | `postgres://${string}` | `postgresql://${string}`

/** Whether a text says where rows are kept. */
export const isStorageText = (text: string): text is StorageText =>
  text === "memory:" || /^pglite:.+/s.test(text) || /^postgres(ql)?:\/\/.+/s.test(text)

/** Whether rows lie on a server, where they may be anybody's. */
export const isServer = (text: StorageText): boolean => /^postgres(ql)?:/.test(text)

/** The same without what must not be shown: user and password. */
export const shownStorage = (text: StorageText): string => text.replace(/^(postgres(?:ql)?:\/\/)[^/]*@/, "$1")
