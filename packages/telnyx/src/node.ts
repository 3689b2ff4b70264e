export { mountOnNode as nodeWebhooks, type NodeMount as NodeWebhooks } from "@carillon/core/carrier"
