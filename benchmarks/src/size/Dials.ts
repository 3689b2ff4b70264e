/** When the carrier was asked to dial, campaign by campaign, by `performance.now()`. */
export class Dials {
  readonly #moments = new Map<string, Array<number>>()

  note(campaignId: string | null): void {
    if (campaignId === null) return
    const moments = this.#moments.get(campaignId)
    if (moments === undefined) this.#moments.set(campaignId, [performance.now()])
    else moments.push(performance.now())
  }

  of(campaignId: string): ReadonlyArray<number> {
    return this.#moments.get(campaignId) ?? []
  }
}
