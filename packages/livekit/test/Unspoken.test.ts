import { ParticipantInfo, ParticipantInfo_Kind } from "@livekit/protocol"
import { assert, it } from "vitest"
import { isAlone } from "../src/Unspoken.ts"

const leg = new ParticipantInfo({ identity: "exec_1", kind: ParticipantInfo_Kind.SIP })
const other = (kind: ParticipantInfo_Kind) => new ParticipantInfo({ identity: "agent-1", kind })

it("a callee is alone with a recorder, and with nobody else", () => {
  assert.isTrue(isAlone([leg], "exec_1"))
  assert.isTrue(isAlone([leg, other(ParticipantInfo_Kind.EGRESS)], "exec_1"))
  for (const kind of [ParticipantInfo_Kind.AGENT, ParticipantInfo_Kind.STANDARD, ParticipantInfo_Kind.SIP]) {
    assert.isFalse(isAlone([leg, other(kind)], "exec_1"))
  }
})
