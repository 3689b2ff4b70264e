import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { Store } from "../engine/ports/Store.ts"
import type { Experiment } from "../experiments/rules/Experiment.ts"
import { experimentStatuses } from "../experiments/rules/ExperimentStatus.ts"
import { ExperimentStore } from "../experiments/ports/ExperimentStore.ts"
import { law } from "./Law.ts"
import { refusalOf } from "./Refusals.ts"
import { fresh, sampleCommit, sampleEpoch, sampleExperiment } from "./Samples.ts"

const put = Effect.fnUntraced(function* (row: Experiment) {
  yield* (yield* Store).commit(sampleCommit(row.organization_id, { changes: [{ put: "experiment", row }] }))
})

/** Lays down what every adapter of `ExperimentStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | ExperimentStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("shows an experiment to its own organization only", () =>
      Effect.gen(function* () {
        const experiments = yield* ExperimentStore
        const row = sampleExperiment(fresh("org_"), { status: "active" })
        yield* put(row)
        assert.deepStrictEqual(yield* experiments.find(row.organization_id, row.version_id), row)
        assert.deepStrictEqual(yield* experiments.active(row.organization_id, row.main_agent_id), row)
        const foreign = fresh("org_")
        assert.isNull(yield* experiments.find(foreign, row.version_id))
        assert.isNull(yield* experiments.active(foreign, row.main_agent_id))
        const page = yield* experiments.page(foreign, row.main_agent_id, null, { page: 1, page_size: 10 })
        assert.deepStrictEqual(page, { items: [], total: 0 })
      }),
    )

    it.effect("pages the experiments of one control agent, newest first, by status", () =>
      law(
        fc.record({
          rows: fc.array(
            fc.record({
              status: fc.constantFrom("draft", "paused", "concluded"),
              main_agent_id: fc.constantFrom("agt_a", "agt_b"),
              created_at: fc.nat(3).map((n) => sampleEpoch + n),
            }),
            { maxLength: 12 },
          ),
          status: fc.option(fc.constantFrom(...experimentStatuses)),
          page_size: fc.integer({ min: 1, max: 5 }),
        }),
        Effect.fnUntraced(function* ({ page_size, rows, status }) {
          const experiments = yield* ExperimentStore
          const organizationId = fresh("org_")
          const made = rows.map((changes) => sampleExperiment(organizationId, changes))
          for (const row of made) yield* put(row)
          const expected = made
            .filter((row) => row.main_agent_id === "agt_a" && (status === null || row.status === status))
            .toSorted((a, b) => a.created_at - b.created_at)
            .reverse()
          const found: Array<Experiment> = []
          for (let page = 1; found.length < expected.length || page === 1; page++) {
            const answer = yield* experiments.page(organizationId, "agt_a", status, { page, page_size })
            assert.strictEqual(answer.total, expected.length)
            found.push(...answer.items)
            if (answer.items.length === 0) break
          }
          assert.deepStrictEqual(found, expected)
        }),
        { numRuns: 25 },
      ),
    )

    it.effect("lets a control agent have one active experiment, whoever comes second", () =>
      Effect.gen(function* () {
        const experiments = yield* ExperimentStore
        const organizationId = fresh("org_")
        const first = sampleExperiment(organizationId, { status: "active" })
        const second = sampleExperiment(organizationId)
        yield* put(first)
        yield* put(second)
        const started = { ...second, revision: 2, status: "active" } as const
        assert.strictEqual((yield* refusalOf(put(started)))?._tag, "Conflict")
        yield* put(sampleExperiment(organizationId, { status: "active", main_agent_id: "agt_other" }))
        yield* put({ ...first, revision: 2, status: "paused" })
        assert.isNull(yield* experiments.active(organizationId, first.main_agent_id))
        yield* put(started)
        assert.deepStrictEqual(yield* experiments.active(organizationId, first.main_agent_id), started)
      }),
    )

    it.effect("removes the revision that was read, and leaves nothing of it", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const experiments = yield* ExperimentStore
        const row = sampleExperiment(fresh("org_"), { status: "active" })
        const { organization_id, version_id: id } = row
        yield* put(row)
        const removing = (revision: number) =>
          store.commit(
            sampleCommit(organization_id, {
              changes: [{ put: "removal", organization_id, kind: "experiment", id, revision }],
            }),
          )
        assert.strictEqual((yield* refusalOf(removing(2)))?._tag, "Conflict")
        assert.deepStrictEqual(yield* experiments.find(organization_id, id), row)
        yield* removing(1)
        assert.isNull(yield* experiments.find(organization_id, id))
        assert.isNull(yield* experiments.active(organization_id, row.main_agent_id))
        assert.strictEqual((yield* refusalOf(removing(1)))?._tag, "Conflict")
      }),
    )
  })
