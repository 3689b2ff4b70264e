import { limits } from "@carillon/core"
import { sampleKnowledgeBase } from "@carillon/core/testing"
import { assert, it } from "@effect/vitest"
import { Layer } from "effect"
import { UnderWay } from "./UnderWay.ts"
import { makeWorld, organizationId } from "./World.ts"

const many = 20

it.each([
  { what: "numbers", list: "/v2/phone-numbers", id: "phone_number_id", reads: "callsFrom" },
  { what: "knowledge bases", list: "/v2/knowledge-bases", id: "collection", reads: "usesKnowledgeBase" },
])("what may name $what that are given up is looked for in two of the organization's pieces", async (asked) => {
  const underWay = new UnderWay()
  const world = await makeWorld(
    Layer.empty,
    underWay.counting((operation) => operation.endsWith(`.${asked.reads}`)),
  )
  const key = world.mint({})
  const given: Array<string> = []
  for (let nth = 0; nth < many; nth++) {
    if (asked.what === "numbers") {
      const phone_number = `+1212555${1000 + nth}`
      const { json } = await world.send({ method: "POST", target: asked.list, key, body: { phone_number } })
      given.push(String(json[asked.id]))
    } else {
      const collection = `base-${nth}`
      world.write({ put: "knowledge_base", row: sampleKnowledgeBase(organizationId, { collection }) })
      given.push(collection)
    }
  }
  const answers = await Promise.all(
    given.map((id) => world.send({ method: "DELETE", target: `${asked.list}/${id}`, key })),
  )
  assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.isAtLeast(underWay.reads, many)
  assert.strictEqual(underWay.most, limits.piecesAtOnce)
  await world.close()
})
