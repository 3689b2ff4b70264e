export { type AsyncApiDocument, type AsyncApiMessage, asyncApiDocument } from "./AsyncApi.ts"
export type { ErrorName, Examples } from "./Examples.ts"
export {
  type DocumentExample,
  type DocumentMedia,
  type DocumentOperation,
  type DocumentParameter,
  type DocumentResponse,
  type DocumentSchema,
  type DocumentWebhook,
  type OpenApiDocument,
  openApiDocument,
} from "./OpenApi.ts"
export * from "./ReferencePage.ts"
