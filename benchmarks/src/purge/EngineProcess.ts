import { nodeServer } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { openTenant, startEngine } from "../size/Tenant.ts"
import { listen } from "./Listening.ts"
import type { FromEngine, ToEngine } from "./Protocol.ts"

/** An engine on the database that it is given, with `/v2` on a port of its own. */
const carillon = await startEngine(process.argv[2] ?? "", { transport: nodeWebhookTransport() })

const tell = (message: FromEngine) => process.send?.(message)

const answerTo = async (message: ToEngine): Promise<FromEngine> => {
  switch (message.type) {
    case "open": {
      const tenant = await openTenant(carillon, message.name, { callback_url: message.hook })
      const { agentIds, campaignIds, executionIds, key, organization_id } = tenant
      return { type: "opened", customer: { organization_id, key, agentIds, campaignIds, executionIds } }
    }
    case "keep": {
      await carillon.organizations.change(message.organization_id, { retention_days: message.days })
      return { type: "kept" }
    }
    case "cpu": {
      const { system, user } = process.cpuUsage()
      return { type: "cpu", ms: (user + system) / 1_000 }
    }
  }
}

process.on("message", (message: ToEngine) => {
  // What fails ends the process, and with it the run.
  void answerTo(message).then(tell)
})

tell({ type: "listening", port: await listen(nodeServer(carillon.handle)) })
