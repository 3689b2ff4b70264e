import { createHmac } from "node:crypto"
import { Agent, request } from "node:http"
import { secret } from "./Endpoints.ts"

/** Signs a body and posts it; resolves with the status. What a user would write around `node:http` and `node:crypto`. */
export class Poster {
  readonly #agent = new Agent({ keepAlive: true })

  post(url: string, body: string): Promise<number> {
    const t = Math.floor(Date.now() / 1000)
    const v1 = createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex")
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "x-service-signature": `t=${t},v1=${v1}`,
    }
    return new Promise((resolve, reject) => {
      request(url, { method: "POST", agent: this.#agent, headers, timeout: 30_000 }, (response) => {
        response.resume().once("end", () => resolve(response.statusCode ?? 0))
      })
        .once("timeout", () => reject(new Error("timeout")))
        .once("error", reject)
        .end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
