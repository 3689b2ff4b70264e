/** How a sealed text begins; what begins otherwise lies there as it is. */
const prefix = "carillon-sealed:"

/** What the id of a key may be: it stands in every text that the key has sealed, and in what is told of one that does not open. */
export const keyIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/

const sealed = /^carillon-sealed:([A-Za-z0-9][A-Za-z0-9._-]{0,31})?:/

/** A text of a row: sealed under a key, or as it is. */
export type SealedText =
  | { readonly _tag: "Sealed"; readonly key_id: string; readonly payload: string }
  | { readonly _tag: "Plain"; readonly text: string }

/** Reads what lies in a row. */
export const readSealed = (text: string): SealedText => {
  const found = sealed.exec(text)
  if (found === null) return { _tag: "Plain", text }
  const [head, key_id] = found
  const rest = text.slice(head.length)
  return key_id === undefined ? { _tag: "Plain", text: rest } : { _tag: "Sealed", key_id, payload: rest }
}

/** What a key has sealed, as it lies in a row. */
export const sealedText = (keyId: string, payload: string): string => `${prefix}${keyId}:${payload}`

/** A text that nobody seals, as it lies in a row: one that looks sealed is marked, so that it is read as it was written. */
export const plainText = (text: string): string => (text.startsWith(prefix) ? `${prefix}:${text}` : text)

/** Whether a key has sealed what lies there. */
export const isSealed = (text: string): boolean => readSealed(text)._tag === "Sealed"
