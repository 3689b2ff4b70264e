import { isObject } from "../http/Json.ts"
import { type Control, ControlFailure } from "./Control.ts"

/** A key to be made with an organization; no `scopes` field at all and `scopes: null` both give a grandfathered key. */
export interface KeyFixture {
  readonly name?: string
  readonly scopes?: ReadonlyArray<string> | null
  readonly keys_write?: boolean
  readonly status?: "active" | "inactive"
  readonly bound?: boolean
}

/** An organization to be made. */
export interface OrganizationFixture {
  readonly plan?: string
  readonly wallet?: { readonly balance: number; readonly currency: string }
  readonly concurrency?: { readonly organization?: number; readonly per_agent?: number; readonly enforced?: boolean }
  readonly phone_numbers?: ReadonlyArray<string>
  readonly keys?: ReadonlyArray<KeyFixture>
}

/** An organization that was made. */
export interface Organization {
  readonly organizationId: string
  readonly phoneNumbers: ReadonlyArray<string>
  readonly keys: ReadonlyArray<{ readonly key: string; readonly keyId: string }>
}

/** Makes an organization; each key answers to the fixture at the same place. */
export const makeOrganization = async (control: Control, fixture: OrganizationFixture): Promise<Organization> => {
  const answer = await control.send("POST", "/organizations", fixture)
  const organizationId = answer.string("organization_id")
  const keys = answer
    .items("keys")
    .filter(isObject)
    .flatMap(({ key, key_id }) => (typeof key === "string" ? [{ key, keyId: String(key_id) }] : []))
  if (!answer.succeeded || organizationId === "" || keys.length !== (fixture.keys?.length ?? 1)) {
    throw new ControlFailure("POST /_sim/organizations did not make the organization and its keys", answer.exchange)
  }
  const phoneNumbers = answer.items("phone_numbers").filter((number) => typeof number === "string")
  return { organizationId, phoneNumbers, keys }
}
