import type { ClaimGrants } from "livekit-server-sdk"
import { bounds } from "./Bounds.ts"

/** The hash of a body as LiveKit's tokens have it: SHA-256, in Base64. */
export const bodyHash = async (body: string): Promise<string> => {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body))
  return btoa(String.fromCharCode(...new Uint8Array(hash)))
}

export const isOfBody = async ({ sha256 }: ClaimGrants, body: string): Promise<boolean> =>
  sha256 !== undefined && sha256 === (await bodyHash(body))

/** How far two clocks may differ. */
const skewSeconds = 30

/** Whether a token ends soon: one that is good for longer could be sent again for longer than reports are remembered. */
export const isFresh = (claims: { readonly exp?: number | undefined }): boolean =>
  claims.exp !== undefined && claims.exp <= Date.now() / 1000 + bounds.reportSeconds + skewSeconds
