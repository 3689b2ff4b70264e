/**
 * What makes one run different from every other on the same server. Whatever must be new there (keys, numbers, names,
 * inboxes) is drawn from it, so that a second run finds nothing of the first; the questions come from the seed alone.
 */

/** The form of a nonce: it becomes part of names, keys and host names. */
const form = /^[a-z0-9]{4,16}$/

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

const drawnLength = 10

/** True for a text that can be a nonce. */
export const isNonce = (text: string): boolean => form.test(text)

/** A nonce that no other run has. */
export const drawNonce = (): string =>
  Array.from(
    crypto.getRandomValues(new Uint32Array(drawnLength)),
    (value) => alphabet[value % alphabet.length] ?? "0",
  ).join("")
