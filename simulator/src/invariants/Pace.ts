/** What is visited for each occasion on average. */
const visitsPerOccasion = 16

/** Occasions in a row that are looked at, so that what goes on between them is seen as well. */
const occasionsInARow = 64

/** Lets what costs by how much is visited happen the less often the more that is: some occasions in a row, and then a rest. */
export class Pace {
  readonly #occasions = new Map<string, { seen: number; visits: number; rest: number }>()

  isDue(organizationId: string): boolean {
    const occasions = this.#occasions.get(organizationId)
    if (occasions === undefined || occasions.rest <= 0) return true
    occasions.rest -= 1
    return false
  }

  spent(organizationId: string, visits: number): void {
    let occasions = this.#occasions.get(organizationId)
    if (occasions === undefined) this.#occasions.set(organizationId, (occasions = { seen: 0, visits: 0, rest: 0 }))
    occasions.seen += 1
    occasions.visits += visits
    if (occasions.seen < occasionsInARow) return
    occasions.rest = Math.max(0, Math.ceil(occasions.visits / visitsPerOccasion) - occasions.seen)
    occasions.seen = 0
    occasions.visits = 0
  }
}
