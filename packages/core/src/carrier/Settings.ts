/** A setting that an adapter cannot work with; it names no secret. */
export class WrongSetting extends Error {}

/** What the scheme of an address must be: one that is encrypted, or on this machine one that is not. `as` names it in the refusal. */
export interface Schemes {
  readonly safe: RegExp
  readonly plain: RegExp
  readonly as: string
}

const web: Schemes = { safe: /^https:$/, plain: /^http:$/, as: "an https: address" }

const local = new Set(["localhost", "127.0.0.1", "[::1]"])

/** An absolute address without query, fragment, credentials and final slash; unencrypted only on this machine. Throws `WrongSetting`. */
export const addressSetting = (name: string, text: string, { as, plain, safe }: Schemes = web): string => {
  const url = URL.parse(text)
  const isBare = url !== null && url.search === "" && url.hash === "" && url.username === "" && url.password === ""
  const isSafe = url !== null && (safe.test(url.protocol) || (plain.test(url.protocol) && local.has(url.hostname)))
  if (!isBare || !isSafe || text.includes("?") || text.includes("#") || text.endsWith("//")) {
    throw new WrongSetting(`${name} must be ${as} without query and fragment.`)
  }
  return text.endsWith("/") ? text.slice(0, -1) : text
}

/** A whole number within bounds. Throws `WrongSetting`. */
export const wholeSetting = (name: string, value: number, min: number, max: number): number => {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new WrongSetting(`${name} must be a whole number from ${min} to ${max}.`)
}
