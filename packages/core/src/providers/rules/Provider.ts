import { readSealed } from "../../secrets/rules/SealedText.ts"

/** A credential of a provider that the organization's agents use. */
export interface Provider {
  readonly provider_id: string
  readonly revision: number
  readonly organization_id: string
  /** Unique within the organization. */
  readonly provider_name: string
  /** The credential, kept by `Secrets`: the host that serves the agents asks `Providers.value`, and no answer tells it. */
  readonly provider_value: string
  /** What may be shown of it; absent in rows of releases that did not seal. */
  readonly provider_value_preview?: string
  readonly created_at: number
}

const shownCharacters = 4
/** Of a shorter credential even four characters would tell too much. */
const shownFrom = 16

/** What may be shown of a provider's credential. */
export const shownValue = ({ provider_value, provider_value_preview }: Provider): string => {
  if (provider_value_preview !== undefined) return provider_value_preview
  const read = readSealed(provider_value)
  return previewValue(read._tag === "Plain" ? read.text : "")
}

/** What is shown of a credential: its last four characters, none of a short one. */
export const previewValue = (value: string): string =>
  value.length < shownFrom ? "..." : `...${value.slice(-shownCharacters)}`
