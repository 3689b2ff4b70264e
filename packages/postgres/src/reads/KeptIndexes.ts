import { limits } from "@carillon/core"

/** A base of which this process has an index. */
export interface KeptIndex {
  readonly organizationId: string
  readonly retrievalId: string
  /** The documents in it, with the characters of each. */
  readonly documents: Map<string, number>
  /** Characters that are being indexed; while there are any it does not give way. */
  coming: number
}

const keyOf = ({ organizationId, retrievalId }: Pick<KeptIndex, "organizationId" | "retrievalId">): string =>
  `${organizationId} ${retrievalId}`

const charactersOf = ({ coming, documents }: KeptIndex): number => {
  let characters = coming
  for (const each of documents.values()) characters += each
  return Math.max(characters, limits.knowledgeIndexedCharacters.base)
}

/** The bases of which this process has an index, and who gives way where there are too many. */
export class KeptIndexes {
  /** The base that was asked last stands at the end. */
  readonly #bases = new Map<string, KeptIndex>()

  /** What there is of a base, which is kept by that only if it was before. */
  find(organizationId: string, retrievalId: string): KeptIndex {
    const base: KeptIndex = { organizationId, retrievalId, documents: new Map(), coming: 0 }
    return this.#bases.get(keyOf(base)) ?? base
  }

  has(base: KeptIndex): boolean {
    return this.#bases.get(keyOf(base)) === base
  }

  /** Keeps a base, as the one that was asked last. */
  keep(base: KeptIndex): void {
    this.drop(base)
    this.#bases.set(keyOf(base), base)
  }

  drop(base: KeptIndex): void {
    this.#bases.delete(keyOf(base))
  }

  /**
   * The base that gives way to another one; null where there is room. An organization that has more than its share gives way to itself. Where all have
   * too much the one that has the most does, so that nobody costs another one more than he has. A base that nobody asks goes first, and of those the one
   * that was asked the longest ago.
   */
  surplus(asked: KeptIndex, isAsked: (base: KeptIndex) => boolean): KeptIndex | null {
    const { organization, process } = limits.knowledgeIndexedCharacters
    const held = new Map<string, number>()
    let all = 0
    for (const base of this.#bases.values()) {
      const characters = charactersOf(base)
      held.set(base.organizationId, (held.get(base.organizationId) ?? 0) + characters)
      all += characters
    }
    const others = [...this.#bases.values()].filter((base) => base !== asked && base.coming === 0)
    const own = others.filter(({ organizationId }) => organizationId === asked.organizationId)
    const isOver = (held.get(asked.organizationId) ?? 0) > organization
    if (isOver && own.length > 0) return own.find((base) => !isAsked(base)) ?? own[0] ?? null
    if (all <= process) return null
    const of = ({ organizationId }: KeptIndex): number => held.get(organizationId) ?? 0
    const most = Math.max(0, ...others.map(of))
    const theirs = others.filter((base) => of(base) === most)
    return theirs.find((base) => !isAsked(base)) ?? theirs[0] ?? null
  }
}
