/** A number registered to an organization: a caller ID, and an address that can be called. */
export interface PhoneNumber {
  readonly phone_number_id: string
  readonly revision: number
  readonly organization_id: string
  /** E.164, unique within the organization. */
  readonly phone_number: string
  readonly label: string | null
  /** ISO 3166 alpha-2, as its owner wrote it. */
  readonly country: string | null
  readonly created_at: number
  readonly updated_at: number
}

/** A number as it is first registered. */
export const newPhoneNumber = (
  number: Pick<PhoneNumber, "phone_number_id" | "organization_id" | "phone_number" | "created_at"> &
    Partial<Pick<PhoneNumber, "label" | "country">>,
): PhoneNumber => ({ label: null, country: null, ...number, revision: 1, updated_at: number.created_at })
