/** A credential of a provider that the organization's agents use. */
export interface Provider {
  readonly provider_id: string
  readonly revision: number
  readonly organization_id: string
  /** Unique within the organization. */
  readonly provider_name: string
  /** The credential itself: for the host that serves the agents, never for an answer. */
  readonly provider_value: string
  readonly created_at: number
}

const shownCharacters = 4
/** Of a shorter credential even four characters would tell too much. */
const shownFrom = 16

/** What is shown of a credential: its last four characters, none of a short one. */
export const previewValue = (value: string): string =>
  value.length < shownFrom ? "..." : `...${value.slice(-shownCharacters)}`
