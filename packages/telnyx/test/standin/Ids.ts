import { sidOf } from "../../../twilio/test/standin/Chance.ts"

/** The nth UUID of a kind, the same for the same seed. */
export const uuidOf = (seed: string, kind: string, nth: number): string => {
  const hex = sidOf(`${seed} ${kind}`, "", nth)
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)].join("-")
}

/** A `call_control_id` as it looks: `v3:` and 54 characters of URL-safe Base64. */
export const controlIdOf = (seed: string, nth: number): string => {
  const bytes = Buffer.from(
    sidOf(seed, "", nth) + sidOf(`${seed} control`, "", nth) + sidOf(`${seed} id`, "", nth),
    "hex",
  )
  return `v3:${bytes.subarray(0, 40).toString("base64url")}`
}
