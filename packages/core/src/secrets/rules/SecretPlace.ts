/** The one place where a secret lies. What was sealed for it opens nowhere else. */
export interface SecretPlace {
  readonly organization_id: string
  readonly kind: "organization" | "subscription" | "provider"
  /** The id of the row. */
  readonly id: string
  /** The field of the row; `headers.<name>` of one header. */
  readonly field: string
}
