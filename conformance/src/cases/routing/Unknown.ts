import type { Case } from "../../run/Case.ts"

const routes: Case = {
  id: "routing/unknown/routes",
  title: "Paths that nobody serves answer 404 with 1200",
  clauses: ["PIPELINE-P3", "PIPELINE-G1", "VERSION-2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const paths: ReadonlyArray<readonly [name: string, path: string]> = [
      ["no-such-collection", "/v2/no-such-thing"],
      ["no-such-child", "/v2/user/you"],
      ["deeper", "/v2/calls/exec_x/no-such-thing"],
      ["trailing-slash", "/v2/user/me/"],
      ["trailing-slash-on-collection", "/v2/agents/"],
      ["other-case", "/v2/User/Me"],
      ["double-slash", "/v2//user/me"],
      ["root", "/v2"],
      ["root-with-slash", "/v2/"],
      ["singular", "/v2/agent"],
    ]
    for (const [name, path] of paths) {
      check.refused(name, "PIPELINE-P3", await client.get(path), 1200)
    }
    const unknown = await client.get("/v2/no-such-thing")
    check.equal("wording", "PIPELINE-G1", unknown.message, "No such resource.", unknown)
  },
}

const methods: Case = {
  id: "routing/unknown/methods",
  title: "A method that a path does not serve answers 404 with 1200 too",
  clauses: ["PIPELINE-P3"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const rows: ReadonlyArray<readonly [method: string, path: string]> = [
      ["DELETE", "/v2/user/me"],
      ["POST", "/v2/user/me"],
      ["PATCH", "/v2/scopes"],
      ["PUT", "/v2/api-keys"],
      ["PATCH", "/v2/agents"],
      ["DELETE", "/v2/agents"],
      ["PUT", "/v2/calls"],
      ["DELETE", "/v2/calls/exec_x"],
      ["GET", "/v2/calls/exec_x/stop"],
      ["DELETE", "/v2/calls/exec_x/recording"],
    ]
    for (const [method, path] of rows) {
      const answer = await client.send(method, path, method === "DELETE" || method === "GET" ? {} : { body: {} })
      check.refused(`${method.toLowerCase()}${path}`, "PIPELINE-P3", answer, 1200)
    }
  },
}

const ids: Case = {
  id: "routing/unknown/ids",
  title: "An id of whatever form that names nothing is simply unknown",
  clauses: ["DECODE-P10", "ERROR-9"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const forms: ReadonlyArray<readonly [name: string, id: string]> = [
      ["plausible", "exec_00000000000000000000"],
      ["number", "1"],
      ["uuid", "00000000-0000-4000-8000-000000000000"],
      ["long", "x".repeat(300)],
      ["encoded-blank", "%20"],
      ["encoded-slash", "a%2Fb"],
      ["encoded-quote", "%27%22"],
      ["encoded-null", "%00"],
      ["dots", "..."],
      ["not-latin", encodeURIComponent("звонок")],
      ["prototype", "__proto__"],
      ["constructor", "constructor"],
    ]
    for (const [name, id] of forms) {
      check.refused(`call-${name}`, "DECODE-P10", await client.get(`/v2/calls/${id}`), 1200)
      check.refused(`agent-${name}`, "DECODE-P10", await client.get(`/v2/agents/${id}`), 1200)
    }
  },
}

export const unknownCases: ReadonlyArray<Case> = [routes, methods, ids]
