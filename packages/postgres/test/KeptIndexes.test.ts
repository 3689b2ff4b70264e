import { limits } from "@carillon/core"
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type KeptIndex, KeptIndexes } from "../src/reads/KeptIndexes.ts"

const { base: least, organization: share, process: whole } = limits.knowledgeIndexedCharacters

const weightOf = ({ coming, documents }: KeptIndex): number =>
  Math.max(
    least,
    [...documents.values()].reduce((sum, each) => sum + each, coming),
  )

const weightsOf = (bases: Iterable<KeptIndex>): number => [...bases].reduce((sum, base) => sum + weightOf(base), 0)

/** Questions to bases of organizations that are indexed by that, each as large as a base may be. */
const questions = fc.array(
  fc.record({
    organizationId: fc.constantFrom("org_a", "org_b", "org_c", "org_d"),
    retrievalId: fc.constantFrom("kb_1", "kb_2", "kb_3", "kb_4"),
    characters: fc.constantFrom(1, 1_000, 3_000_000, limits.knowledgeCharacters),
    isAsked: fc.boolean(),
  }),
  { maxLength: 60 },
)

it("all that is kept and being indexed keeps within the bound, and an organization within its share", () => {
  fc.assert(
    fc.property(questions, (list) => {
      const kept = new KeptIndexes()
      const all = new Set<KeptIndex>()
      const asked = new Set<KeptIndex>()
      for (const { characters, isAsked, organizationId, retrievalId } of list) {
        const base = kept.find(organizationId, retrievalId)
        if (base.documents.size > 0) continue
        base.coming = characters
        kept.keep(base)
        all.add(base)
        const own = () => [...all].filter((one) => one.organizationId === organizationId)
        for (let gone = kept.surplus(base, (one) => asked.has(one)); gone !== null;) {
          assert.notStrictEqual(gone, base)
          const has = (id: string) => weightsOf([...all].filter((one) => one.organizationId === id))
          // Whoever gives way has more than its share, or has as much as anybody.
          if (gone.organizationId !== organizationId) {
            assert.isAtLeast(
              has(gone.organizationId),
              Math.max(...[...all].filter((one) => one !== base).map((one) => has(one.organizationId))),
            )
          }
          kept.drop(gone)
          all.delete(gone)
          gone = kept.surplus(base, (one) => asked.has(one))
        }
        assert.isAtMost(weightsOf(all), whole)
        assert.isAtMost(weightsOf(own()), share)
        base.documents.set("doc_1", characters)
        base.coming = 0
        if (isAsked) asked.add(base)
      }
    }),
    { numRuns: 500 },
  )
})

it("a small base stays, however many large ones of another organization are asked", () => {
  const kept = new KeptIndexes()
  const keep = (organizationId: string, retrievalId: string, characters: number) => {
    const base = kept.find(organizationId, retrievalId)
    base.documents.set("doc_1", characters)
    kept.keep(base)
    for (let gone = kept.surplus(base, () => true); gone !== null; gone = kept.surplus(base, () => true))
      kept.drop(gone)
    return base
  }
  const quiet = keep("org_quiet", "kb_1", 100_000)
  for (let nth = 0; nth < 100; nth++) {
    for (const noisy of ["org_a", "org_b", "org_c"]) keep(noisy, `kb_${nth}`, limits.knowledgeCharacters)
  }
  assert.isTrue(kept.has(quiet))
})

it("what is being indexed stays, and what nobody asks goes first, the oldest of it", () => {
  const kept = new KeptIndexes()
  const bases = ["kb_1", "kb_2", "kb_3"].map((retrievalId) => kept.find("org_a", retrievalId))
  for (const base of bases) {
    base.documents.set("doc_1", 8_000_000)
    kept.keep(base)
  }
  const [first, second, third] = bases
  assert(first !== undefined && second !== undefined && third !== undefined)
  assert.strictEqual(
    kept.surplus(third, () => false),
    first,
  )
  assert.strictEqual(
    kept.surplus(third, (base) => base === first),
    second,
  )
  first.coming = 1
  assert.strictEqual(
    kept.surplus(third, () => false),
    second,
  )
  kept.drop(second)
  assert.isNull(kept.surplus(third, () => false))
})
