export { law } from "../../src/testing/Law.ts"
