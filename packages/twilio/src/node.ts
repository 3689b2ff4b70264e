export { mountOnNode as nodeCallbacks, type NodeMount as NodeCallbacks } from "@carillon/core/carrier"
